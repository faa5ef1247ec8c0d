// Command doors measures what an agent pays at each door: a scripted oracle, which knows the right
// operation and its arguments but has to learn of them as an agent does, carries out the tasks of
// tasks.jsonl and counts turns, tokens read, tokens written, and bytes from upstream.
//
//	go run ./bench/doors [-corpus DIR] [-tasks] [-json]
//
// Begin at main.go; house.go stands the systems up, agent.go is the oracle at each door. A task is a
// line of tasks.jsonl: a system, what is wished, and the calls that fulfil it; add lines to extend it.
package main
