package twodoor_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/twodoor/twodoor"
)

// A Go function becomes an operation; an engine carries calls to it, checked by the schema of its input.
func Example() {
	type in struct {
		City string `json:"city"`
	}
	weather := &twodoor.FuncSource{Name: "weather", Funcs: []twodoor.Func{
		twodoor.NewFunc(twodoor.Operation{ID: "weather.city.get", Title: "The weather in a city", Effect: twodoor.Reads},
			func(_ context.Context, in in) (map[string]any, error) {
				return map[string]any{"city": in.City, "sky": "clear"}, nil
			}),
	}}
	reading, err := weather.Read(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		fmt.Println(err)
		return
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: weather}}
	engine.Serve(catalog)

	call := twodoor.Call{Operation: "weather.city.get", Arguments: json.RawMessage(`{"city":"Oslo"}`), Principal: twodoor.Operator}
	result, err := engine.Do(context.Background(), call)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(result.Value))

	call.Arguments = json.RawMessage(`{"town":"Oslo"}`)
	_, err = engine.Do(context.Background(), call)
	fmt.Println(twodoor.AsError(err).Code)
	// Output:
	// {"city":"Oslo","sky":"clear"}
	// invalid
}
