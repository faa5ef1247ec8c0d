package config

import (
	"os"
	"path/filepath"
)

// Where says how a file was found. A file that was found by walking up needs trust.
type Where string

// The ways in which a configuration is found.
const (
	Nowhere Where = ""
	Named   Where = "named"  // by --config or TWODOOR_CONFIG
	Walked  Where = "walked" // in this folder or one above
	Home    Where = "home"   // in the user's own configuration folder
)

// Find looks for the configuration of a folder: the nearest file up to the root of the repository
// (without a repository: this folder alone), then the user's own. No file is no error.
func Find(dir, home string) (file string, where Where) {
	for _, at := range upwards(dir) {
		if isFile(filepath.Join(at, FileName)) {
			return filepath.Join(at, FileName), Walked
		}
	}
	if file := filepath.Join(home, FileName); home != "" && isFile(file) {
		return file, Home
	}
	return "", Nowhere
}

// upwards lists the folders from dir to the root of its repository.
func upwards(dir string) []string {
	var folders []string
	for at := dir; ; at = filepath.Dir(at) {
		folders = append(folders, at)
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return folders
		}
		if at == filepath.Dir(at) {
			return folders[:1]
		}
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
