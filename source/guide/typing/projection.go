package typing

import (
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/guide"
)

// ReadAnswer follows a projection through the shape of an operation's answer. The root is the jq path
// of the records: ".items[]".
func ReadAnswer(op *twodoor.Operation, root string, want twodoor.Projection) (out Shape, wrong []Misfit) {
	out = ShapeOf(op, op.Output)
	path, isList := strings.CutSuffix(root, "[]")
	path = strings.Trim(path, ".")
	fields := want.Fields
	if want.JQ == "" && len(fields) == 0 {
		fields = op.Answer.Fields
	} else {
		wrong = WrongFields(out, path, isList, fields)
	}
	if len(fields) > 0 && !out.any && len(wrong) == 0 {
		out = cut(out, path, isList, fields)
	}
	if want.Summary || op.Answer.Summary && want.JQ == "" && len(want.Fields) == 0 {
		out = unknown
	}
	if want.JQ != "" {
		next, misreads := ReadJQ(want.JQ, out)
		for _, m := range misreads {
			wrong = append(wrong, Misfit{Kind: guide.BadJQ, Message: m.Message, Fix: m.Fix})
		}
		out = next
	}
	return out, wrong
}

// WrongFields are the fields that neither a record nor what is around the records has.
func WrongFields(answer Shape, path string, isList bool, fields []string) []Misfit {
	if answer.any {
		return nil
	}
	record := recordOf(answer, path, isList)
	var wrong []Misfit
	for _, field := range fields {
		field = strings.TrimPrefix(field, ".")
		inner := field
		if path != "" {
			inner = strings.TrimPrefix(field, path+".")
		}
		_, at, near := record.Follow(inner)
		if at == "" {
			continue
		}
		if _, around, _ := answer.Follow(field); around == "" {
			continue
		}
		wrong = append(wrong, Misfit{Path: field, Kind: guide.UnknownField, Message: fmt.Sprintf("fields: the answer has no field %s", field), Fix: first(near)})
	}
	return wrong
}

func recordOf(answer Shape, path string, isList bool) Shape {
	record, _, _ := answer.Follow(path)
	if path == "" {
		record = answer
	}
	if isList {
		record = record.elements()
	}
	return record
}

// cut is the answer with nothing of its records but some fields.
func cut(answer Shape, path string, isList bool, fields []string) Shape {
	if !isList {
		return answer.pick(fields)
	}
	record := recordOf(answer, path, true)
	var inner, around []string
	for _, field := range fields {
		field = strings.TrimPrefix(strings.TrimPrefix(field, "."), path+".")
		if _, at, _ := record.Follow(field); at == "" {
			inner = append(inner, field)
		} else {
			around = append(around, field)
		}
	}
	if path == "" {
		return listOf(record.pick(inner))
	}
	if len(around) > 0 {
		answer = answer.pick(append(around, path))
	}
	return answer.with(path, listOf(record.pick(inner)))
}
