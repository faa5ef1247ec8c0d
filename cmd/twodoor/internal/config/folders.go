package config

import (
	"path/filepath"
	"runtime"
)

// Folders are the places where twodoor keeps what is its own (XDG Base Directory Specification 0.8;
// on Windows below %AppData% and %LocalAppData%). A folder may not exist yet; an empty one means that
// there is no place for it.
type Folders struct {
	Config  string // the user's configuration
	State   string // the operator token, trust, the demo
	Cache   string // compiled catalogs: may be deleted at any time
	Runtime string // sockets of running servers
}

// FoldersOf reads the environment.
func FoldersOf(getenv func(string) string) Folders {
	home := getenv("HOME")
	below := func(variable string, fallback ...string) string {
		if at := getenv(variable); filepath.IsAbs(at) {
			return filepath.Join(at, "twodoor")
		}
		if !filepath.IsAbs(fallback[0]) {
			return ""
		}
		return filepath.Join(append(fallback, "twodoor")...)
	}
	if runtime.GOOS == "windows" {
		roaming, local := getenv("AppData"), getenv("LocalAppData")
		f := Folders{Config: below("XDG_CONFIG_HOME", roaming), State: below("XDG_STATE_HOME", local), Cache: below("XDG_CACHE_HOME", local, "cache")}
		f.Runtime = below("XDG_RUNTIME_DIR", f.State)
		return f
	}
	f := Folders{
		Config: below("XDG_CONFIG_HOME", home, ".config"),
		State:  below("XDG_STATE_HOME", home, ".local", "state"),
		Cache:  below("XDG_CACHE_HOME", home, ".cache"),
	}
	if at := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(at) {
		f.Runtime = filepath.Join(at, "twodoor")
	} else {
		f.Runtime = f.State
	}
	return f
}
