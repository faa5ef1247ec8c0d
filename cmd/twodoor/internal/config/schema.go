package config

import (
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// SchemaID names the JSON Schema of the configuration.
const SchemaID = "https://github.com/twodoor/twodoor/twodoor.schema.json"

// Schema is the JSON Schema (2020-12) of twodoor.yaml, for editors and for agents that write one.
func Schema() json.RawMessage {
	var o rawjson.Object
	o.PutString("$schema", "https://json-schema.org/draft/2020-12/schema")
	o.PutString("$id", SchemaID)
	o.PutString("title", FileName)
	for key, value := range rawjson.Members(schemaOf(reflect.TypeFor[Config](), field{})) {
		o.Put(key, value)
	}
	return rawjson.Indent(nil, o.Bytes(), "  ")
}

func schemaOf(t reflect.Type, f field) json.RawMessage {
	var o rawjson.Object
	switch {
	case f.env != "":
		o.PutString("description", f.about+" "+f.env+" overrides it.")
	case f.about != "":
		o.PutString("description", f.about)
	}
	switch {
	case t == rawType:
	case t.Kind() == reflect.Struct:
		o.PutString("type", "object")
		o.Put("properties", propertiesOf(t))
		o.PutBool("additionalProperties", false)
	case t.Kind() == reflect.Map:
		o.Put("type", json.RawMessage(`["object","null"]`))
		o.Put("additionalProperties", schemaOf(t.Elem(), field{enum: f.enum, format: f.format}))
	case t.Kind() == reflect.Slice:
		o.Put("type", json.RawMessage(`["array","string"]`))
		o.Put("items", schemaOf(t.Elem(), field{enum: f.enum, format: f.format}))
	default:
		scalarSchema(&o, t, f)
	}
	return o.Bytes()
}

func propertiesOf(t reflect.Type) json.RawMessage {
	var o rawjson.Object
	for _, f := range fieldsOf(t) {
		o.Put(f.key, schemaOf(f.kind, f))
	}
	return o.Bytes()
}

func scalarSchema(o *rawjson.Object, t reflect.Type, f field) {
	switch t.Kind() {
	case reflect.Bool:
		o.PutString("type", "boolean")
		if f.defaults != "" {
			o.Put("default", []byte(f.defaults))
		}
		return
	case reflect.Int:
		o.PutString("type", "integer")
		o.PutInt("minimum", 0)
		if n, err := strconv.Atoi(f.defaults); err == nil {
			o.PutInt("default", int64(n))
		}
		return
	}
	o.PutString("type", "string")
	if len(f.enum) > 0 {
		o.PutStrings("enum", f.enum)
	}
	if f.defaults != "" {
		o.PutString("default", f.defaults)
	}
	if f.format == "url" {
		o.PutString("format", "uri")
	}
}
