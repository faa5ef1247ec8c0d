// Package bench measures the product against its bounds and against peers, in a way that anyone
// can run again. It holds tests and benchmarks only:
//
//	go test ./bench -run StartUp -v        start-up of a generated command, beside an empty program
//	go test ./bench -bench . -benchmem     calls through the doors
//
// Times are figures to read, never assertions: machines are shared and noisy. What is asserted is
// what does not depend on the machine: allocations, sizes, counts.
package bench
