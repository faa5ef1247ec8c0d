package journal

import "github.com/twodoor/twodoor/internal/sqldb"

// Schema is the tables of the journal.
//
// A chain is one run of a program; its records are numbered from 1. What is pruned is always the
// oldest part of a chain: floor is the hash of the last record that was pruned, first the number
// of the one after it. The anchor counts the chains themselves. Open holds intents without an end.
var Schema = sqldb.Schema{
	Name:   "journal",
	Tables: []string{"journal_records", "journal_chains", "journal_anchor", "journal_open"},
	Steps: []sqldb.Step{{
		SQLite:   append(tables("BLOB"), indexes...),
		Postgres: append(tables("BYTEA"), indexes...),
	}},
}

var indexes = []string{
	"CREATE INDEX journal_records_at ON journal_records (at)",
}

func tables(bytes string) []string {
	return []string{
		`CREATE TABLE journal_records (chain BIGINT NOT NULL, n BIGINT NOT NULL, at BIGINT NOT NULL, kind TEXT NOT NULL, call_id TEXT NOT NULL,
			door TEXT NOT NULL, client TEXT NOT NULL, principal TEXT NOT NULL, session TEXT NOT NULL, operation TEXT NOT NULL,
			code TEXT NOT NULL, duration BIGINT NOT NULL, record TEXT NOT NULL, hash ` + bytes + ` NOT NULL, PRIMARY KEY (chain, n))`,
		`CREATE TABLE journal_chains (chain BIGINT PRIMARY KEY, first BIGINT NOT NULL, floor ` + bytes + ` NOT NULL, floor_mac ` + bytes + ` NOT NULL,
			last BIGINT NOT NULL, head ` + bytes + ` NOT NULL, head_mac ` + bytes + ` NOT NULL, bytes BIGINT NOT NULL, alive BIGINT NOT NULL)`,
		`CREATE TABLE journal_anchor (id BIGINT PRIMARY KEY, first BIGINT NOT NULL, last BIGINT NOT NULL, mac ` + bytes + ` NOT NULL)`,
		`CREATE TABLE journal_open (call_id TEXT PRIMARY KEY, chain BIGINT NOT NULL, record TEXT NOT NULL)`,
	}
}

var recordColumns = []string{"chain", "n", "at", "kind", "call_id", "door", "client", "principal", "session", "operation", "code", "duration", "record", "hash"}
