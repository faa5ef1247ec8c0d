package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
)

// found is one operation as the description has it.
type found struct {
	method, path string // path as the description keys it
	item, op     document.Place
	fault        error // why nothing more is known of it
}

func (f found) key() string { return strings.TrimSpace(f.method + " " + f.path) }

// methods are those of a path item (OpenAPI 3.2 "Path Item Object"; query is new there).
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// operations lists what the description has under paths, in its order.
func (r *reader) operations() (all []found) {
	paths := r.document.Place(r.document.Root.Get("paths"))
	if resolved, err := r.Resolve(paths); err == nil {
		paths = resolved
	}
	for path, item := range paths.Node.Members() {
		if strings.HasPrefix(path, "x-") {
			continue
		}
		all = append(all, r.pathItem(path, paths.In(item))...)
	}
	if len(all) == 0 {
		r.Note("%s has no operations under paths: the source is empty", r.document.Shown)
	}
	return all
}

// pathItem lists the operations of one path. What a path item says beside its reference counts
// before what it refers to.
func (r *reader) pathItem(path string, item document.Place) (all []found) {
	target, err := r.Resolve(item)
	if err != nil || !target.Node.Is(rawjson.KindObject) {
		if err == nil {
			err = fmt.Errorf("the path is no object")
		}
		return []found{{path: path, item: item, op: item, fault: err}}
	}
	owners := []document.Place{target}
	if item.Node != target.Node {
		owners = []document.Place{item, target}
	}
	seen := map[string]bool{}
	for _, owner := range owners {
		for method, op := range owner.Node.Members() {
			if !slices.Contains(methods, method) || seen[method] {
				continue
			}
			seen[method] = true
			f := found{method: strings.ToUpper(method), path: path, item: owner, op: owner.In(op)}
			if !op.Is(rawjson.KindObject) {
				f.fault = fmt.Errorf("the operation is no object")
			} else if f.op, err = r.Resolve(f.op); err != nil {
				f.op, f.fault = owner.In(op), err
			}
			all = append(all, f)
		}
	}
	return all
}
