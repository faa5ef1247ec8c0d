package schema

import "github.com/twodoor/twodoor/internal/rawjson"

// Weigh estimates how many tokens a text costs a model: see [rawjson.Weigh].
func Weigh(raw []byte) int { return rawjson.Weigh(raw) }
