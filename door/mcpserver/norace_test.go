//go:build !race

package mcpserver

const raced = false
