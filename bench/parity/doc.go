// Package parity proves that a call made at either door reaches the far side as the same request,
// and as the one that the description asks for. It holds tests only:
//
//	TWODOOR_CORPUS=… go test ./bench/parity -v
//
// Every generated operation of every description of the corpus is called at each door with what it
// requires, with everything that it takes, with other branches of its unions, and with its example.
// What arrives is read by a judge that knows the description by itself (document_test.go,
// decode_test.go, body_test.go) and shares no code with source/openapi; it has to give back the
// arguments that went in. openapi3filter judges once more, and for Stripe its own mock server. 50
// operations of each description run the program itself. Mismatches that a reader accepts stand in
// exceptions_test.go, each with its reason; one that is needed no more fails.
//
// Begin at TestParity in parity_test.go. With -short every tenth operation is called.
package parity
