// Package upstream keeps what the program knows of far sides that are asked for their operations,
// MCP servers and other twodoors, between two runs: the file of servers with the user's overlay
// ([File]), and what each far side listed last ([Lists]), so that nobody is asked only to know what
// there is.
package upstream
