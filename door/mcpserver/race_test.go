//go:build race

package mcpserver

const raced = true
