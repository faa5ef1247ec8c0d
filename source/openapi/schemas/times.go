package schemas

import (
	"regexp"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Formats of integers that are times.
const (
	unixTime   = "unix-time"
	unixTimeMs = "unix-time-ms"
)

var (
	epochWords = regexp.MustCompile(`(?i)\bunix\b.{0,24}\b(time|timestamp|timestamps|seconds?|secs?|epoch|milli\w*|ms)\b|\b(seconds?|milliseconds?|ms)\b.{0,24}\bunix\b` +
		`|\bepoch\b|\btimestamps?\W{1,3}(in )?(seconds|milliseconds|ms)\b|时间戳|unix ?(毫?秒)`)
	milliWords  = regexp.MustCompile(`(?i)millisec|\bms\b|毫秒`)
	finerWords  = regexp.MustCompile(`(?i)microsec|nanosec|微秒|纳秒`)
	epochGlance = []string{"nix", "poch", "NIX", "POCH", "imestamp", "时间戳"}
)

// EpochFormat is the format of an integer whose description says that it counts from the Unix epoch.
func EpochFormat(description string) string {
	if !slices.ContainsFunc(epochGlance, func(part string) bool { return strings.Contains(description, part) }) {
		return ""
	}
	switch {
	case !epochWords.MatchString(description), finerWords.MatchString(description):
		return ""
	case milliWords.MatchString(description):
		return unixTimeMs
	}
	return unixTime
}

// TimeFormat is the format that the annotation "time" asks for, or "".
func TimeFormat(given *rawjson.Node, t Types) string {
	if given.Bool() {
		if t.Has("integer") || t.Has("number") {
			return unixTime
		}
		return "date-time"
	}
	return TimeWord(given.Str())
}

// TimeWord is the format that a word of the annotation "time" stands for, or "".
func TimeWord(word string) string {
	switch word {
	case "unix", "unix-time", "seconds", "s":
		return unixTime
	case "unix-ms", "unix-time-ms", "milliseconds", "ms":
		return unixTimeMs
	case "date-time", "rfc3339", "datetime":
		return "date-time"
	case "date":
		return "date"
	}
	return ""
}
