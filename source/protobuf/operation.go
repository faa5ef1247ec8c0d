package protobuf

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/protobuf/options"
	"github.com/twodoor/twodoor/source/protobuf/plan"
	"github.com/twodoor/twodoor/source/protobuf/schemas"
)

// add makes a method an operation.
func (r *reader) add(f *found) error {
	if err := servable(f.method); err != nil {
		return err
	}
	rules, err := r.options.HTTP(f.method)
	if err != nil {
		return err
	}
	shape, err := r.shape(f)
	if err != nil {
		return err
	}
	op := twodoor.Operation{
		ID: r.source.Name + "." + f.id, Kind: Kind, Tool: f.said.tool, Prefix: r.source.Prefix,
		Origin: "POST /" + f.key(), At: r.set.Place(f.method),
	}
	f.said.Adorn(&op)
	r.tell(f, &op)
	f.setEffect(&op, rules)
	if op.Input, err = r.writer.Object(f.method.Input(), schemas.Inward, shape); err != nil {
		return err
	}
	if op.Output, err = r.answer(f); err != nil {
		return err
	}
	p, err := r.plan(f, rules, shape)
	if err != nil {
		return err
	}
	if p.Wire == plan.REST {
		op.Origin = rules[0].Verb + " " + rules[0].Path
	}
	if op.Plan, err = json.Marshal(p); err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	op.Page = r.page(f, &op)
	op.Positional = r.positional(f, shape, rules, p.Wire)
	if err := r.idNames(f, &op); err != nil {
		return err
	}
	r.reading.Operations = append(r.reading.Operations, op)
	return nil
}

// servable refuses what a door of questions and answers cannot carry.
func servable(method protoreflect.MethodDescriptor) error {
	in, out := method.Input(), method.Output()
	switch {
	case method.IsStreamingClient() && method.IsStreamingServer():
		return &refusal{"messages stream both ways, which a call with one set of arguments cannot do"}
	case method.IsStreamingClient():
		return &refusal{"it takes a stream of messages, which a call with one set of arguments cannot send"}
	case in.IsPlaceholder() || out.IsPlaceholder():
		return &refusal{fmt.Sprintf("the file that describes %s is missing", firstPlaceholder(in, out))}
	case schemas.WellKnown(in) && in.FullName() != "google.protobuf.Empty" && in.FullName() != "google.protobuf.Struct":
		return &refusal{fmt.Sprintf("its request, %s, is no object in JSON", in.FullName())}
	}
	return nil
}

func firstPlaceholder(all ...protoreflect.MessageDescriptor) protoreflect.FullName {
	for _, md := range all {
		if md.IsPlaceholder() {
			return md.FullName()
		}
	}
	return ""
}

// tell fills in the words of a method's own file.
func (r *reader) tell(f *found, op *twodoor.Operation) {
	if op.Title == "" {
		words := strings.Join(wordsOf(string(f.method.Name())), " ")
		op.Title = strings.ToUpper(words[:1]) + words[1:]
	}
	if op.Description == "" {
		op.Description = schemas.Comment(f.method)
	}
	if op.Deprecated == "" && options.IsDeprecated(f.method) {
		op.Deprecated = "it is marked so"
	}
}

// answer is the schema of what comes back; of a stream it is an array.
func (r *reader) answer(f *found) (json.RawMessage, error) {
	if f.method.Output().FullName() == "google.api.HttpBody" {
		return nil, nil
	}
	one, err := r.writer.Answer(f.method.Output())
	if err != nil || !f.method.IsStreamingServer() {
		return one, err
	}
	var list rawjson.Object
	list.PutString("type", "array")
	list.Put("items", one)
	return list.Bytes(), nil
}

func (r *reader) plan(f *found, rules []options.Rule, shape schemas.Shape) (*plan.Plan, error) {
	p := &plan.Plan{
		Service: string(f.service.FullName()), Method: string(f.method.Name()), Wire: r.source.wire(),
		In: string(f.method.Input().FullName()), Out: string(f.method.Output().FullName()),
		Stream: f.method.IsStreamingServer(), Safe: options.Idempotency(f.method) == 1,
		Shape: shapeOf(shape), Max: f.said.Stream.Max, Time: f.said.Stream.Time,
	}
	var err error
	if p.Server, err = r.server(f.service); err != nil {
		return nil, err
	}
	if p.Wire == plan.REST {
		if p.HTTP, err = httpOf(f.method, rules); err != nil {
			return nil, err
		}
	}
	if p.Tweaked, err = r.isTweaked(f.method); err != nil {
		return nil, err
	}
	p.Lists, err = r.lists(f.method)
	return p, err
}

// server is the address of a service, without a slash at its end.
func (r *reader) server(service protoreflect.ServiceDescriptor) (string, error) {
	if r.source.Target != "" {
		return strings.TrimRight(r.source.Target, "/"), nil
	}
	set, err := r.options.Of(service)
	if err != nil {
		return "", err
	}
	value, ok := set.Get("google.api.default_host")
	host, isText := value.Interface().(string)
	if !ok || !isText || host == "" {
		return "", nil
	}
	origin := "https://" + host
	if _, err := url.Parse(origin); err != nil {
		return "", nil
	}
	if !slices.Contains(r.reading.Origins, origin) {
		r.reading.Origins = append(r.reading.Origins, origin)
		slices.Sort(r.reading.Origins)
	}
	return origin, nil
}

// lists are the lists at the top of an answer. An answer leaves out what is empty, and a list that
// is not there tells less than an empty one.
func (r *reader) lists(method protoreflect.MethodDescriptor) (names []string, err error) {
	md := method.Output()
	if method.IsStreamingServer() || schemas.WellKnown(md) {
		return nil, nil
	}
	fields, err := r.writer.Fields(md)
	for _, f := range fields {
		if f.Desc.IsList() && (f.Tweak == nil || !f.Tweak.Hide) {
			names = append(names, f.Name)
		}
	}
	return names, err
}

// isTweaked reports whether a call has to look into its messages: annotations rename or fill fields
// of one that it reaches.
func (r *reader) isTweaked(method protoreflect.MethodDescriptor) (bool, error) {
	seen := map[protoreflect.FullName]bool{}
	queue := []protoreflect.MessageDescriptor{method.Input(), method.Output()}
	for len(queue) > 0 {
		md := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[md.FullName()] || md.IsPlaceholder() || schemas.WellKnown(md) {
			continue
		}
		seen[md.FullName()] = true
		if r.tweaked[md.FullName()] {
			return true, nil
		}
		if _, err := r.writer.Fields(md); err != nil {
			return false, err
		}
		if r.tweaksOf(md.FullName()) != nil {
			if r.tweaked == nil {
				r.tweaked = map[protoreflect.FullName]bool{}
			}
			r.tweaked[md.FullName()] = true
			return true, nil
		}
		for i := range md.Fields().Len() {
			if inner := md.Fields().Get(i).Message(); inner != nil {
				queue = append(queue, inner)
			}
		}
	}
	return false, nil
}

// setVersion writes into a plan which descriptors are its own.
func setVersion(raw json.RawMessage, version string) json.RawMessage {
	return rawjson.Set(raw, "v", rawjson.Quote(version))
}

// page is how a method pages: as it is annotated, else by page_size, page_token and next_page_token
// (google.aip.dev/158).
func (r *reader) page(f *found, op *twodoor.Operation) *twodoor.Page {
	if f.said.Page != nil {
		return f.said.Page
	}
	in, out := f.method.Input().Fields(), f.method.Output().Fields()
	token, next := in.ByName("page_token"), out.ByName("next_page_token")
	if token == nil || next == nil || f.method.IsStreamingServer() {
		return nil
	}
	page := &twodoor.Page{Style: twodoor.PageCursor, Param: r.inputName(f, token), Next: r.outputName(f, next)}
	for _, name := range []protoreflect.Name{"page_size", "max_results", "limit"} {
		if size := in.ByName(name); size != nil && page.Size == "" {
			page.Size = r.inputName(f, size)
		}
	}
	if records := recordsOf(out); records != nil {
		page.Items = r.outputName(f, records)
	}
	return page
}

// recordsOf is the list of a page: the first of messages, else the only one; nil: it cannot be told.
func recordsOf(fields protoreflect.FieldDescriptors) (only protoreflect.FieldDescriptor) {
	many := 0
	for i := range fields.Len() {
		fd := fields.Get(i)
		if fd.IsList() && fd.Message() != nil {
			return fd
		}
		if fd.IsList() || fd.IsMap() {
			only = fd
			many++
		}
	}
	if many != 1 || only.IsMap() {
		return nil
	}
	return only
}

func (r *reader) inputName(f *found, fd protoreflect.FieldDescriptor) string {
	if name := lookUp(f.said.Rename, fd); name != "" {
		return schemas.Key(name)
	}
	return r.outputName(f, fd)
}

func (r *reader) outputName(_ *found, fd protoreflect.FieldDescriptor) string {
	for _, known := range r.writer.Known(fd.ContainingMessage().FullName()) {
		if known.Desc == fd {
			return known.Name
		}
	}
	return fd.JSONName()
}

// positional lists the inputs that a command line takes by position: those of the path, else the
// only id that is required, or the only field there is (contracts §2).
func (r *reader) positional(f *found, shape schemas.Shape, rules []options.Rule, wire string) []string {
	in := f.method.Input()
	if f.said.Positional != nil {
		return r.listed(f)
	}
	if wire == plan.REST {
		return r.inPath(f, rules[0])
	}
	if strings.HasPrefix(string(f.method.Name()), "Create") {
		return nil
	}
	var ids, all []string
	for _, field := range r.writer.Known(in.FullName()) {
		if !field.Shown(shape[field.JSON]) {
			continue
		}
		name := r.inputName(f, field.Desc)
		all = append(all, name)
		isText := field.Desc.Kind() == protoreflect.StringKind || schemas.IsInteger(field.Desc.Kind())
		if isText && !field.Desc.IsMap() && (field.Required && isID(string(field.Desc.Name())) || in.Fields().Len() == 1) {
			ids = append(ids, name)
		}
	}
	if len(ids) == 1 && (len(all) == 1 || isID(ids[0])) {
		return ids
	}
	return nil
}

func isID(name string) bool {
	words := wordsOf(name)
	last := words[len(words)-1]
	return last == "id" || last == "ids" || len(words) == 1 && last == "name"
}

// listed are the inputs that an annotation names.
func (r *reader) listed(f *found) (list []string) {
	for _, name := range f.said.Positional {
		if fd := fieldOf(f.method.Input(), name); fd != nil {
			list = append(list, r.inputName(f, fd))
		} else {
			r.fault(f.method, "positional names %q, which is no field of %s", name, f.method.Input().FullName())
		}
	}
	return list
}

func (r *reader) inPath(f *found, rule options.Rule) (list []string) {
	parts, err := pathOf(f.method.Input(), rule.Path)
	if err != nil {
		return nil
	}
	for _, part := range parts {
		if len(part.Field) == 1 {
			if fd := f.method.Input().Fields().ByJSONName(part.Field[0]); fd != nil {
				list = append(list, r.inputName(f, fd))
			}
		}
	}
	return list
}

// idNames adds the ids whose names annotations of the answer's fields look up.
func (r *reader) idNames(f *found, op *twodoor.Operation) error {
	found := map[string]string{}
	seen := map[protoreflect.FullName]bool{}
	var visit func(md protoreflect.MessageDescriptor) error
	visit = func(md protoreflect.MessageDescriptor) error {
		if seen[md.FullName()] || md.IsPlaceholder() || schemas.WellKnown(md) {
			return nil
		}
		seen[md.FullName()] = true
		fields, err := r.writer.Fields(md)
		if err != nil {
			return err
		}
		for _, field := range fields {
			if field.Tweak != nil && field.Tweak.IDName != "" {
				found[field.Name] = field.Tweak.IDName
			}
			if inner := field.Desc.Message(); inner != nil {
				if err := visit(inner); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := visit(f.method.Output()); err != nil || len(found) == 0 {
		return err
	}
	maps.Copy(found, op.Answer.IDNames)
	op.Answer.IDNames = found
	return nil
}
