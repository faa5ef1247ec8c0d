// Package repair measures whether one retry is enough: wrong calls are made over real descriptions,
// what the error says is applied mechanically, and the calls that then fit are counted.
//
//	TWODOOR_CORPUS=DIR go test ./bench/repair -v
//
// It holds tests only. Begin at repair_test.go; wrong_test.go makes the calls, obey_test.go applies
// what an error says.
package repair
