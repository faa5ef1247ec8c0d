package main

import (
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/twodoor/twodoor/internal/secret"
)

// settings are what the environment says.
type settings struct {
	url       string        // MCP_API_URL: the far side
	token     secret.Ref    // MCP_API_TOKEN; else, on this machine, the operator's token of this user
	tools     []byte        // MCP_TOOLS: a JSON array of tools, or @FILE; nil: the far side is asked
	session   string        // MCP_SESSION_ID
	scope     string        // MCP_VIRTUAL_SCOPE_ID
	ready     string        // MCP_READY_FILE: made when a host has its first list of tools
	log       string        // MCP_BRIDGE_LOG: a line for each call is added to it
	output    string        // MCP_TOOL_OUTPUT_DIR: where answers go that are too long to read; empty: they stay whole
	timeout   time.Duration // CODING_AGENT_MCP_TOOL_TIMEOUT: of each call, in minutes or as 90m
	bounded   bool          // the timeout was set, and the far side is told
	errorText bool          // MCP_BRIDGE_ERRORS=text: errors as plain text, for hosts that hide those marked
}

const (
	defaultURL     = "http://127.0.0.1:7777/api"
	defaultTimeout = 90 * time.Minute
)

func readSettings(getenv func(string) string) (*settings, error) {
	s := &settings{
		url: plainURL(getenv("MCP_API_URL")), session: getenv("MCP_SESSION_ID"), scope: getenv("MCP_VIRTUAL_SCOPE_ID"),
		ready: getenv("MCP_READY_FILE"), log: getenv("MCP_BRIDGE_LOG"), output: outputDir(getenv), errorText: getenv("MCP_BRIDGE_ERRORS") == "text",
	}
	if s.url == "" {
		s.url = defaultURL
	}
	at, err := url.Parse(s.url)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("MCP_API_URL is %q: write it like %s", s.url, defaultURL)
	}
	s.token = tokenOf(getenv, at)
	s.timeout, s.bounded = timeoutOf(getenv("CODING_AGENT_MCP_TOOL_TIMEOUT"))
	s.tools, err = toolsOf(getenv("MCP_TOOLS"))
	return s, err
}

// markdown is a link that a model or a person copied with its brackets.
var markdown = regexp.MustCompile(`^\[[^\]]*\]\(([^)]*)\)$`)

// plainURL takes an address out of the brackets in which it may have been copied.
func plainURL(text string) string {
	text = strings.TrimSpace(text)
	if inner := markdown.FindStringSubmatch(text); inner != nil {
		text = inner[1]
	}
	return strings.TrimRight(strings.Trim(text, "<>"), "/")
}

// tokenOf is the token given, else the operator's own: that one is for this machine alone.
func tokenOf(getenv func(string) string, at *url.URL) secret.Ref {
	for _, name := range []string{"MCP_API_TOKEN", "TWODOOR_TOKEN"} {
		if token := getenv(name); token != "" && (name == "MCP_API_TOKEN" || isLoopback(at.Hostname())) {
			return secret.NewRef(token)
		}
	}
	file := filepath.Join(stateDir(getenv), "operator-token")
	if _, err := os.Stat(file); err != nil || !filepath.IsAbs(file) || !isLoopback(at.Hostname()) {
		return secret.Ref{}
	}
	return secret.NewRef("${file:" + file + "}")
}

// stateDir is where twodoor keeps its operator's token (XDG Base Directory Specification 0.8).
func stateDir(getenv func(string) string) string {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "twodoor")
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(getenv("LocalAppData"), "twodoor")
	}
	return filepath.Join(getenv("HOME"), ".local", "state", "twodoor")
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && address.Unmap().IsLoopback()
}

// toolsOf is the list of tools, or what the file named has.
func toolsOf(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	file, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		return []byte(text), nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("MCP_TOOLS names a file: %w", err)
	}
	return raw, nil
}

// timeoutOf reads minutes, or a duration. What is neither counts as nothing said.
func timeoutOf(text string) (bound time.Duration, said bool) {
	bound, err := time.ParseDuration(text)
	if minutes, bad := strconv.ParseFloat(text, 64); bad == nil {
		bound, err = time.Duration(minutes*float64(time.Minute)), nil
	}
	if err != nil || bound <= 0 {
		return defaultTimeout, false
	}
	return bound, true
}

// outputDir is the folder for long answers: the one named, else one in the folders that existing
// agents name.
func outputDir(getenv func(string) string) string {
	if dir := getenv("MCP_TOOL_OUTPUT_DIR"); dir != "" {
		return dir
	}
	for _, name := range []string{"STEP_OUTPUT_DIR", "STEP_EXECUTION_DIR", "VAR_WORKSPACE_PATH"} {
		if dir := getenv(name); dir != "" {
			return filepath.Join(dir, "tool_output_folder")
		}
	}
	return ""
}
