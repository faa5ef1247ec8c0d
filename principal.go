package twodoor

import "slices"

// Principal is on whose behalf a call is made. The zero value is nobody. It holds no secret.
type Principal struct {
	Subject     string   `json:"subject,omitempty"`
	Permissions []string `json:"permissions,omitempty"` // what it may do; "*" is everything
	Turn        string   `json:"turn,omitempty"`        // the one message that it acts for
}

// Operator is the principal of whoever runs this process.
var Operator = Principal{Subject: "operator", Permissions: []string{"*"}}

// IsNobody reports whether nobody is known to be asking.
func (p Principal) IsNobody() bool { return p.Subject == "" }

// Holds reports whether the principal has a permission. Nobody needs the empty one.
func (p Principal) Holds(permission string) bool {
	return permission == "" || slices.Contains(p.Permissions, permission) || slices.Contains(p.Permissions, "*")
}
