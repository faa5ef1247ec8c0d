package app

import (
	"context"
	"slices"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/bundle"
	"github.com/twodoor/twodoor/source/find"
)

// ownReadings are twodoor's own operations, as they stand in every catalog.
func ownReadings(ctx context.Context) ([]*twodoor.Reading, error) {
	reading, err := find.Source{}.Read(ctx)
	if err != nil {
		return nil, err
	}
	return []*twodoor.Reading{reading}, nil
}

// theirs leaves twodoor's own operations out of what was read: nobody described them to us.
func theirs(read func() ([]*twodoor.Reading, error)) func() ([]*twodoor.Reading, error) {
	return func() ([]*twodoor.Reading, error) {
		readings, err := read()
		return slices.DeleteFunc(readings, func(r *twodoor.Reading) bool { return r.Source == twodoor.OwnSource }), err
	}
}

// indexSection keeps the search index beside the catalog that it is of.
var indexSection = bundle.Section{Name: "index", Make: func(catalog *twodoor.Catalog) ([]byte, error) {
	documents, err := find.DocumentsOf(catalog)
	if err != nil {
		return nil, err
	}
	return find.Build(documents).Encode(), nil
}}

// indexIn opens the index of a bundle when something is searched, and makes a new one where that
// cannot be trusted.
func indexIn(b *bundle.Bundle) func(*twodoor.Catalog) (*find.Index, error) {
	return func(catalog *twodoor.Catalog) (*find.Index, error) {
		if data, err := b.Section(indexSection.Name); err == nil {
			if index, err := find.Open(data); err == nil {
				return index, nil
			}
		}
		documents, err := find.DocumentsOf(catalog)
		if err != nil {
			return nil, err
		}
		return find.Build(documents), nil
	}
}
