package parity

import (
	"strings"

	"github.com/twodoor/twodoor"
)

// exception is a mismatch that a reader accepts, with the reason.
type exception struct {
	document  string // glob
	operation string // glob over "METHOD /path key"
	fault     string // how the mismatch begins
	reason    string
}

func (e exception) covers(document string, op *twodoor.Operation, fault string) bool {
	return twodoor.Match(e.document, document) && twodoor.Match(e.operation, op.Origin) && strings.HasPrefix(fault, e.fault)
}

// What openapi3filter cannot judge by itself is left out in kin_test.go; here are single operations.
var exceptions = []exception{
	{"flashduty.*", "POST /enrichment/upsert", "openapi3filter:", "the discriminator of settings is a property that none of its branches has: it stands one level up"},
	{"openai", "POST /conversations/{conversation_id}/items", "openapi3filter:", "the discriminator is optional in the branch that was sent, which openapi3filter does not take"},
	{"flashduty-legacy.zh", "POST /incident/list", "openapi3filter:", "the description writes {x} for a property of any name, and requires one called so"},
	{"flashduty-legacy.zh", "POST /incident/list-by-card", "openapi3filter:", "the description writes $key for a property of any name, and requires one called so"},
	{"flashduty-legacy.zh", "POST /sourcemap/upload", "openapi3filter:", "a text that holds JSON is sent as that JSON, as its example says; openapi3filter wants it quoted once more"},
	{"twilio-api-v2010", "POST /2010-04-01/Accounts/{AccountSid}/Calls/{CallSid}/Payments.json", "openapi3filter:", "a form field without a type is read as null by openapi3filter"},
	{"openai", "POST /audio/transcriptions", "openapi3filter:", multipartUnion},
	{"openai", "POST /audio/translations", "openapi3filter:", multipartUnion},
	{"openai", "POST /images/variations", "openapi3filter:", multipartUnion},
	{"openai", "POST /videos", "openapi3filter:", multipartUnion},
	{"openai", "POST /videos/extensions", "openapi3filter:", multipartUnion},
	{"openai", "POST /images/edits", "refused: ", "fields that only JSON takes and fields that only multipart takes were given at once, which is told before anything is sent"},
	{"github*", "GET */dependabot/alerts", "openapi3filter:", "a query parameter that is a text or a list is read as a text alone by openapi3filter"},
}

const multipartUnion = "a field of a multipart body that is a union of texts is read as null by openapi3filter"
