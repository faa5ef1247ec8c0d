// Command tokens holds the estimate of tokens against a real vocabulary, o200k: for each class of what
// an agent reads, what [rawjson.Weigh] says, what it is exactly, and the ratio of the two.
//
//	go run ./bench/tokens [-json] FILE…
//
// A FILE is an OpenAPI description, whose tools, schemas, prose and example answers are weighed, or any
// other text, which is weighed whole. The demo service's description and answers are always in.
//
// The vocabulary weighs some 7 MB, so it is here and not in the program. No vocabulary of every model
// is public: the figures are o200k's, other models differ by some percent.
package main
