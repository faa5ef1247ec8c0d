package app

import (
	"context"
	"slices"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/bundle"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/check"
	"github.com/twodoor/twodoor/source/find"
	"github.com/twodoor/twodoor/source/guide"
)

// ownReadings are twodoor's own operations, as they stand in every catalog. Guides are served where
// there are any.
func (r *run) ownReadings(ctx context.Context, s *site) ([]*twodoor.Reading, error) {
	reading, err := find.Source{}.Read(ctx)
	if err != nil {
		return nil, err
	}
	if s.hasGuides() {
		guides, err := (&guide.Source{}).Read(ctx)
		if err != nil {
			return nil, err
		}
		reading.Operations = slices.Concat(reading.Operations, guides.Operations)
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

// indexName is the section of a bundle that keeps the search index.
const indexName = "index"

// indexSection keeps the search index beside the catalog that it is of.
func (r *run) indexSection(s *site, readings []*twodoor.Reading) bundle.Section {
	return bundle.Section{Name: indexName, Make: func(catalog *twodoor.Catalog) ([]byte, error) {
		index, err := r.newIndex(s, catalog, readings)
		if err != nil {
			return nil, err
		}
		return index.Encode(), nil
	}}
}

// newIndex is the index of a catalog, of what its sources say in other languages, and of the guides
// beside it.
func (r *run) newIndex(s *site, catalog *twodoor.Catalog, readings []*twodoor.Reading) (*find.Index, error) {
	documents, err := find.DocumentsOf(catalog)
	if err != nil {
		return nil, err
	}
	languages, err := check.Languages(catalog, readings)
	if err != nil {
		return nil, err
	}
	for _, l := range languages {
		for i := range documents {
			if title := l.Words[documents[i].ID].Title; title != "" {
				documents[i].Intents = append(documents[i].Intents, title)
			}
		}
	}
	for _, g := range r.libraryOf(s).Guides {
		documents = append(documents, find.Document{
			ID: g.Name, Topic: find.TopicGuide, Source: g.Source, Name: g.Name, Title: g.Title, Description: g.When, Intents: g.Intents,
		})
	}
	return find.Build(documents), nil
}

// indexIn opens the index of a bundle when something is searched, and makes a new one where that
// cannot be trusted.
func (r *run) indexIn(s *site, b *bundle.Bundle) func(*twodoor.Catalog) (*find.Index, error) {
	return func(catalog *twodoor.Catalog) (*find.Index, error) {
		if data, err := b.Section(indexName); err == nil {
			if index, err := find.Open(data); err == nil {
				return index, nil
			}
		}
		readings, err := b.Readings()
		if err != nil {
			return nil, err
		}
		return r.newIndex(s, catalog, readings)
	}
}
