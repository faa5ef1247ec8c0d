package descriptors

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// readSet reads a descriptor set or a buf image, which is one with a note on each file.
func (in *Input) readSet(ctx context.Context) (*Set, error) {
	data, err := in.fetch(ctx)
	if err != nil {
		return nil, err
	}
	set := &Set{Read: []string{in.Set}}
	if err := set.parse(data); err != nil {
		return nil, &twodoor.Error{
			Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s is no descriptor set: %v", in.Set, err), Cause: err,
			Hint: "make one with: buf build -o api.binpb, or protoc --include_imports --include_source_info --descriptor_set_out=api.binpb",
		}
	}
	return set, nil
}

func (in *Input) fetch(ctx context.Context) ([]byte, error) {
	if strings.HasPrefix(in.Set, "http://") || strings.HasPrefix(in.Set, "https://") {
		if in.Fetch == nil {
			return nil, invalid(in.Set+" is a URL, and URLs are not read here", "fetch it into a file first")
		}
		return in.Fetch(ctx, in.Set)
	}
	info, err := os.Stat(in.Set)
	if err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("there is no file %s", in.Set), Hint: "correct protobuf.descriptors", Cause: err}
	}
	if info.Size() > in.maxBytes() {
		return nil, &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("%s is larger than the bound of %d MiB", in.Set, in.maxBytes()>>20)}
	}
	data, err := os.ReadFile(in.Set)
	if err != nil {
		return nil, fmt.Errorf("read descriptors: %w", err)
	}
	return data, nil
}

// parseRaw reads a set that is at hand.
func (in *Input) parseRaw() (*Set, error) {
	set := &Set{}
	if err := set.parse(in.Raw); err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("this is no descriptor set: %v", err), Cause: err}
	}
	set.Files = slices.DeleteFunc(set.Files, func(f protoreflect.FileDescriptor) bool { return !slices.Contains(in.Own, f.Path()) })
	return set, nil
}

// parse reads a set in either form, and links it.
func (s *Set) parse(data []byte) error {
	set, err := unmarshal(data)
	if err != nil {
		return err
	}
	if len(set.GetFile()) == 0 {
		return fmt.Errorf("it holds no file")
	}
	registry, err := link(set)
	if err != nil {
		return err
	}
	for _, file := range set.File {
		if file.GetSourceCodeInfo() == nil && !isImport(file) && len(file.GetService()) > 0 {
			s.Notes = append(s.Notes, file.GetName()+" comes without comments: describe it with --include_source_info, or a buf image")
		}
	}
	for _, file := range FilesOf(registry) {
		i := slices.IndexFunc(set.File, func(p *descriptorpb.FileDescriptorProto) bool { return p.GetName() == file.Path() })
		if i >= 0 && !isImport(set.File[i]) {
			s.Files = append(s.Files, file)
		}
	}
	return nil
}

// unmarshal reads a set without knowing any option of it: they stay as they are, for the reader of options.
func unmarshal(data []byte) (*descriptorpb.FileDescriptorSet, error) {
	set := &descriptorpb.FileDescriptorSet{}
	if text := rawjson.Trim(data); rawjson.KindOf(text) == rawjson.KindObject {
		options := protojson.UnmarshalOptions{DiscardUnknown: true}
		return set, options.Unmarshal(text, set)
	}
	return set, proto.UnmarshalOptions{Resolver: &protoregistry.Types{}}.Unmarshal(data, set)
}

// Numbers of buf's note on a file of an image (buf.alpha.image.v1.ImageFile.buf_extension).
const (
	bufExtension protowire.Number = 8042
	bufIsImport  protowire.Number = 1
)

// isImport reports whether a buf image says that a file is there only because others import it.
func isImport(file *descriptorpb.FileDescriptorProto) bool {
	note, ok := fieldBytes(file.ProtoReflect().GetUnknown(), bufExtension)
	if !ok {
		return false
	}
	for len(note) > 0 {
		number, kind, n := protowire.ConsumeTag(note)
		if n < 0 {
			return false
		}
		note = note[n:]
		if number == bufIsImport && kind == protowire.VarintType {
			value, n := protowire.ConsumeVarint(note)
			return n > 0 && value != 0
		}
		if n = protowire.ConsumeFieldValue(number, kind, note); n < 0 {
			return false
		}
		note = note[n:]
	}
	return false
}

// fieldBytes is the first length-delimited field of a number.
func fieldBytes(data []byte, wanted protowire.Number) ([]byte, bool) {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return nil, false
		}
		data = data[n:]
		if number == wanted && kind == protowire.BytesType {
			value, n := protowire.ConsumeBytes(data)
			return value, n >= 0
		}
		if n = protowire.ConsumeFieldValue(number, kind, data); n < 0 {
			return nil, false
		}
		data = data[n:]
	}
	return nil, false
}
