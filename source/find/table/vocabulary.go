package main

import (
	"bufio"
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// vocabulary counts words.
type vocabulary struct {
	gloss map[string]int // in the definitions of WordNet
	lemma map[string]bool
	texts map[string]int // files of API descriptions
	total int            // words of all glosses
}

// choose lists the n words that are used most: words of the list that a dictionary uses or defines,
// and words that two descriptions or more use.
func (v *vocabulary) choose(list []string, n int) []string {
	known := map[string]bool{}
	for _, word := range list {
		if v.gloss[word] > 0 || v.lemma[word] {
			known[word] = true
		}
	}
	for word, files := range v.texts {
		if files >= 2 {
			known[word] = true
		}
	}
	var words []string
	for word := range known {
		if isWord(word) {
			words = append(words, word)
		}
	}
	rank := func(word string) int { return v.gloss[word] + 3*v.texts[word] }
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(rank(b)-rank(a), cmp.Compare(a, b)) })
	return words[:min(n, len(words))]
}

// isWord holds words to lower-case ASCII, 2 to 20 letters.
func isWord(word string) bool {
	if len(word) < 2 || len(word) > 20 {
		return false
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return true
}

// readWordNet counts the words of the definitions and notes the lemmas.
func (v *vocabulary) readWordNet(dir string) error {
	for _, name := range []string{"data.noun", "data.verb", "data.adj", "data.adv"} {
		file, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			head, gloss, ok := strings.Cut(lines.Text(), "| ")
			if !ok {
				continue
			}
			for _, word := range wordsOf(gloss) {
				v.gloss[word]++
				v.total++
			}
			for _, word := range strings.Fields(head) {
				v.lemma[strings.ToLower(word)] = true
			}
		}
		file.Close()
		if err := lines.Err(); err != nil {
			return err
		}
	}
	return nil
}

// readTexts counts in how many files of a folder a word stands, each cut into chunks of some tools.
func (v *vocabulary) readTexts(dir string) error {
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for chunk := range chunks(data) {
			seen := map[string]bool{}
			for _, word := range wordsOf(splitHumps(string(chunk))) {
				if !seen[word] {
					seen[word] = true
					v.texts[word]++
				}
			}
		}
		return nil
	})
}

// chunkSize is about what the description of one operation weighs.
const chunkSize = 4 << 10

func chunks(data []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(data) > 0 {
			n := min(chunkSize, len(data))
			if at := bytes.IndexByte(data[n:], ' '); at >= 0 {
				n += at
			} else {
				n = len(data)
			}
			if !yield(data[:n]) {
				return
			}
			data = data[n:]
		}
	}
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && r != '\'' })
}

// splitHumps puts a blank where a camelCase word has a hump.
func splitHumps(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if i > 0 && text[i] >= 'A' && text[i] <= 'Z' && text[i-1] >= 'a' && text[i-1] <= 'z' {
			b.WriteByte(' ')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
