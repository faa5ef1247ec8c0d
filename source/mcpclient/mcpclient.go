package mcpclient

import (
	"context"
	"fmt"

	"github.com/twodoor/twodoor"
)

// Kind is the kind of the operations that this package reads and invokes.
const Kind = "mcp"

// Source is the tools of one MCP server.
type Source struct {
	Name   string // required; first word of all ids, and the server's name in the pool
	Prefix string // stands for the name in MCP spellings
	Pool   *Pool  // required
}

// Read lists the server's tools now: over the connection that is there, or over one that it starts.
// An error is a *[twodoor.Error] that says why there is no list.
func (s *Source) Read(ctx context.Context) (*twodoor.Reading, error) {
	if s.Name == "" || s.Pool == nil {
		return nil, fmt.Errorf("an MCP source needs a name and a pool, got %q", s.Name)
	}
	server, err := s.Pool.server(s.Name)
	if err != nil {
		return nil, err
	}
	c, err := s.Pool.listed(ctx, key{source: s.Name})
	if err != nil {
		return nil, err
	}
	r := &reader{source: s, server: server, conn: c}
	return r.read(), nil
}

// Last is what the server listed last over the connection that is there, without asking it; nil: there
// is none.
func (s *Source) Last() *twodoor.Reading {
	s.Pool.mu.Lock()
	slot := s.Pool.slots[key{source: s.Name}]
	s.Pool.mu.Unlock()
	if slot == nil {
		return nil
	}
	slot.mu.Lock()
	c := slot.conn
	slot.mu.Unlock()
	if c == nil || c.tools.Load() == nil || c.greeted.Load() == nil {
		return nil
	}
	server, err := s.Pool.server(s.Name)
	if err != nil {
		return nil
	}
	return (&reader{source: s, server: server, conn: c}).read()
}

// listed is a connection whose list of tools is of now.
func (p *Pool) listed(ctx context.Context, k key) (*conn, error) {
	slot, c, err := p.acquire(ctx, k)
	if err != nil {
		return nil, err
	}
	if slot.unread(c) {
		slot.release(c, worked, nil)
		return c, nil
	}
	err = slot.relist(ctx, c)
	how, fault := slot.weigh(ctx, nil, err)
	slot.release(c, how, twodoor.AsError(fault))
	return c, fault
}
