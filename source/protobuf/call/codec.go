package call

import (
	"fmt"

	"google.golang.org/protobuf/proto"
)

// message is a message as bytes: the library carries it without looking into it.
type message struct{ data []byte }

// codec hands bytes through, under the name of the format that they have.
type codec string

const (
	binary   = "proto"
	jsonText = "json"
)

// Name is the format.
func (c codec) Name() string { return string(c) }

// IsBinary is for requests by GET, whose message stands in the URL.
func (c codec) IsBinary() bool { return c == binary }

// Marshal takes the bytes of a message. The library's own messages, which tell of errors, are real.
func (c codec) Marshal(m any) ([]byte, error) {
	switch m := m.(type) {
	case *message:
		return m.data, nil
	case proto.Message:
		return proto.Marshal(m)
	}
	return nil, fmt.Errorf("no message: %T", m)
}

// MarshalStable is Marshal: the same arguments give the same bytes.
func (c codec) MarshalStable(m any) ([]byte, error) { return c.Marshal(m) }

// Unmarshal keeps the bytes of a message.
func (c codec) Unmarshal(data []byte, into any) error {
	switch m := into.(type) {
	case *message:
		m.data = append([]byte(nil), data...) // the library uses its buffer again
		return nil
	case proto.Message:
		return proto.Unmarshal(data, m)
	}
	return fmt.Errorf("no message: %T", into)
}
