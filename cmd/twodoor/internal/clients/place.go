package clients

import (
	"os"
	"path/filepath"
	"strings"
)

// Place is what there is to know of the machine and the folder that files are looked for in.
type Place struct {
	OS        string                      // required; as runtime.GOOS
	LookupEnv func(string) (string, bool) // required
	Project   string                      // folder of the project; empty: there is none
}

func (p Place) env(name string) string {
	value, _ := p.LookupEnv(name)
	return value
}

// Home is the user's own folder; empty: there is none.
func (p Place) Home() string {
	if p.OS == "windows" {
		if at := p.env("USERPROFILE"); at != "" {
			return at
		}
	}
	return p.env("HOME")
}

// home is a path below the user's folder; empty where there is none.
func (p Place) home(below ...string) string {
	if p.Home() == "" {
		return ""
	}
	return filepath.Join(append([]string{p.Home()}, below...)...)
}

// named is a path below the folder that a variable names, else below another one.
func (p Place) named(variable, otherwise string, below ...string) string {
	at := p.env(variable)
	if !filepath.IsAbs(at) {
		at = otherwise
	}
	if at == "" {
		return ""
	}
	return filepath.Join(append([]string{at}, below...)...)
}

// app is a path below the folder where programs with windows keep their settings.
func (p Place) app(below ...string) string {
	switch p.OS {
	case "darwin":
		return p.home(append([]string{"Library", "Application Support"}, below...)...)
	case "windows":
		return p.named("APPDATA", p.home("AppData", "Roaming"), below...)
	}
	return p.config(below...)
}

// config is a path below the folder for settings of the XDG specification, on every system.
func (p Place) config(below ...string) string {
	return p.named("XDG_CONFIG_HOME", p.home(".config"), below...)
}

// Short is a path as a person writes it: with ~ for the user's folder.
func (p Place) Short(path string) string {
	if rest, ok := strings.CutPrefix(path, p.Home()+string(filepath.Separator)); ok && p.Home() != "" {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

func exists(path string) bool {
	if path == "" {
		return false
	}
	_, err := os.Stat(path)
	return err == nil
}

// firstThere is the first of the paths that exists, else the first.
func firstThere(paths ...string) string {
	for _, path := range paths {
		if exists(path) {
			return path
		}
	}
	return paths[0]
}
