package check

import (
	"maps"
	"slices"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/guide/cards"
)

// Languages are the languages that sources are translated into, by code, with their words by operation.
// Without names all sources count.
func Languages(catalog *twodoor.Catalog, readings []*twodoor.Reading, sources ...string) ([]cards.Language, error) {
	all := map[string]*cards.Language{}
	for _, reading := range readings {
		if len(sources) > 0 && !slices.Contains(sources, reading.Source) {
			continue
		}
		for code, t := range reading.Translations {
			l := all[code]
			if l == nil {
				l = &cards.Language{Code: code, Groups: map[string]string{}, Words: map[string]twodoor.Words{}}
				all[code] = l
			}
			for group, about := range t.Groups {
				l.Groups[reading.Source+"."+group] = about
			}
			if err := eachTranslated(catalog, reading.Source, t, func(id string, words twodoor.Words) { l.Words[id] = words }); err != nil {
				return nil, err
			}
		}
	}
	var list []cards.Language
	for _, code := range slices.Sorted(maps.Keys(all)) {
		list = append(list, *all[code])
	}
	return list, nil
}

// eachTranslated gives the words of every operation of a source that a translation has some for.
func eachTranslated(catalog *twodoor.Catalog, source string, t twodoor.Translation, give func(id string, words twodoor.Words)) error {
	for i := range catalog.Below(source + ".") {
		op, err := catalog.At(i)
		if err != nil {
			return err
		}
		if words, told := t.Operations[op.Origin]; told {
			give(op.ID, words)
		}
	}
	return nil
}
