package app

import "testing"

func TestNameFromTitle(t *testing.T) {
	for _, test := range []struct{ title, place, want string }{
		{"GitHub's official OpenAPI spec + Octokit extension", "github.json", "github"},
		{"Swagger Petstore - OpenAPI 3.0", "x.yaml", "petstore"},
		{"Stripe API", "x.json", "stripe"},
		{"Harbor", "x.yaml", "harbor"},
		{"OpenAI API", "x.yaml", "openai"},
		{"Twilio - Api", "x.json", "twilio"},
		{"Flashduty Open API", "x.json", "flashduty"},
		{"The Great Incident Service of the West (v2)", "x", "great-incident"},
		{"Kubernetes v1.31.0", "x", "kubernetes"},
		{"", "/a/shop-orders.v2.yaml", "shop-orders"},
		{"API", "https://example.com/openapi.json", "api"},
		{"快猫", "fd.json", "fd"},
		{"Find", "items.yaml", "items"}, // find is a command of twodoor
	} {
		if got := nameFrom(test.title, test.place); got != test.want {
			t.Errorf("%q in %s is named %q, want %q", test.title, test.place, got, test.want)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, test := range []struct {
		text, title string
		ok          bool
	}{
		{`{"swagger":"2.0","info":{"title":"A"}}`, "A", true},
		{`{"openapi":"3.1.0","info":{"title":"cut`, "", true},
		{`{"name":"package"}`, "", false},
		{"# c\nopenapi: 3.0.0\ninfo:\n  version: 1\n  # c\n  title: 'A b'\n", "A b", true},
		{"\"openapi\": 3.0.0\ninfo:\n  contact:\n    name: x\n\n  title: A\npaths: {}\n", "A", true},
		{"openapi: 3.0.0\ninfo: {version: 1, title: A b}\n", "A b", true},
		{"title: A\n", "", false},
		{"", "", false},
	} {
		if title, ok := sniff([]byte(test.text)); title != test.title || ok != test.ok {
			t.Errorf("%q: %q, %v", test.text, title, ok)
		}
	}
}
