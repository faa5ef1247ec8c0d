// Command search measures how well twodoor finds operations, on public sets of requests:
//
//	go run ./bench/search DIR…              a table
//	go run ./bench/search -json DIR…        the same for programs, with each query's figures
//	go run ./bench/search -against OLD DIR… beside an earlier -json, judged by paired bootstrap
//	go run ./bench/search -scale 50000 DIR… and the times of a catalogue of that many tools
//
// A folder holds tools.jsonl and queries*.jsonl; set.go tells their format. The figures are
// recall at 1, 3, 5 and 10, the mean reciprocal rank, how well the confidence tells requests for
// this catalogue from requests for the others (the area under the ROC curve), the time of a query,
// and the size of the index. Begin with measure.go.
package main
