package descriptors

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/twodoor/twodoor"
)

// Input says where descriptors come from: exactly one of Files, Set and Reflect.
type Input struct {
	Files       []string // .proto files and folders of them; absolute paths
	ImportPaths []string // where imports are looked for; absolute paths
	Set         string   // a descriptor set or buf image, binary or JSON: absolute path or URL
	Reflect     *Reflection
	Raw         []byte   // a descriptor set itself, in place of all of these
	Own         []string // of Raw: the files that are described; others are there for their imports

	Fetch    func(ctx context.Context, url string) ([]byte, error) // reads a URL; nil: URLs are refused
	MaxBytes int64                                                 // of a set, or of all files together; 0: DefaultMaxBytes
}

// DefaultMaxBytes bounds what is read of one source.
const DefaultMaxBytes = 128 << 20

// Set is a number of files that belong together.
type Set struct {
	Files []protoreflect.FileDescriptor // those that the source itself describes, sorted by path
	Read  []string                      // what was read: absolute paths and URLs
	Notes []string

	all     []protoreflect.FileDescriptor // with everything imported
	placeOf func(path string) string      // where a file lies; nil: its path is all there is
}

// Load reads and links the descriptors. Faults are *[twodoor.Error] with the place.
func (in *Input) Load(ctx context.Context) (*Set, error) {
	set, err := in.load(ctx)
	if err != nil {
		return nil, err
	}
	set.gather()
	return set, nil
}

func (in *Input) load(ctx context.Context) (*Set, error) {
	switch {
	case in.Raw != nil:
		return in.parseRaw()
	case in.Reflect != nil:
		return in.Reflect.load(ctx)
	case in.Set != "":
		return in.readSet(ctx)
	case len(in.Files) > 0:
		return in.compile(ctx)
	}
	return nil, invalid("a protobuf source needs files, descriptors or reflection", "write protobuf: {files: [./proto]}, {descriptors: ./api.binpb} or {reflection: true}")
}

func (in *Input) maxBytes() int64 {
	if in.MaxBytes > 0 {
		return in.MaxBytes
	}
	return DefaultMaxBytes
}

// gather lists every file once, those that others need first.
func (s *Set) gather() {
	slices.SortFunc(s.Files, func(a, b protoreflect.FileDescriptor) int { return strings.Compare(a.Path(), b.Path()) })
	seen := map[string]bool{}
	var visit func(f protoreflect.FileDescriptor)
	visit = func(f protoreflect.FileDescriptor) {
		if f.IsPlaceholder() || seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		imports := f.Imports()
		for i := range imports.Len() {
			visit(imports.Get(i).FileDescriptor)
		}
		s.all = append(s.all, f)
	}
	for _, f := range s.Files {
		visit(f)
	}
}

// All lists every file of the set, imported ones before those that import them.
func (s *Set) All() []protoreflect.FileDescriptor { return s.all }

// Place is where something is described: file:line where the source tells lines.
func (s *Set) Place(d protoreflect.Descriptor) string {
	file := d.ParentFile()
	if file == nil {
		return string(d.FullName())
	}
	at := file.Path()
	if s.placeOf != nil {
		at = s.placeOf(at)
	}
	where := file.SourceLocations().ByDescriptor(d)
	if where.Path == nil && where.StartLine == 0 {
		return at
	}
	return fmt.Sprintf("%s:%d", at, where.StartLine+1)
}

// link makes descriptors of a set's files. What a set lacks comes from the bundled files; what they
// lack too stays a gap, which only those notice who need it.
func link(set *descriptorpb.FileDescriptorSet) (*protoregistry.Files, error) {
	whole, have := &descriptorpb.FileDescriptorSet{}, map[string]bool{}
	for _, file := range set.GetFile() {
		if have[file.GetName()] {
			return nil, fmt.Errorf("it has the file %q twice", file.GetName())
		}
		have[file.GetName()] = true
		whole.File = append(whole.File, file)
	}
	bundle, err := bundled()
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(whole.File); i++ {
		for _, name := range whole.File[i].GetDependency() {
			if have[path.Clean(name)] || have[name] {
				continue
			}
			if file := bundle[name]; file != nil {
				have[name] = true
				whole.File = append(whole.File, file)
			}
		}
	}
	return newFiles(whole)
}

// newFiles links files. The library panics on some descriptors that no compiler writes; to the
// reader that is one more fault of the file.
func newFiles(set *descriptorpb.FileDescriptorSet) (files *protoregistry.Files, err error) {
	defer func() {
		if p := recover(); p != nil {
			files, err = nil, fmt.Errorf("its descriptors cannot be linked: %v", p)
		}
	}()
	return protodesc.FileOptions{AllowUnresolvable: true}.NewFiles(set)
}

func invalid(message, hint string) error {
	return &twodoor.Error{Code: twodoor.CodeInvalid, Message: message, Hint: hint}
}

// Link makes descriptors of a set's files, with the bundled files that they need.
func Link(set *descriptorpb.FileDescriptorSet) (*protoregistry.Files, error) { return link(set) }
