package harbor

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

type service struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Tier       int       `json:"tier"`
	OwnerID    string    `json:"owner_id"`
	ScheduleID string    `json:"schedule_id"`
	Language   string    `json:"language"`
	Regions    []string  `json:"regions"`
	DependsOn  []string  `json:"depends_on"`
	UpdatedAt  time.Time `json:"updated_at"`

	runbook string
}

var (
	regions   = []string{"de", "no", "us"} // ISO country codes; Norway's is there on purpose
	languages = []string{"go", "java", "python", "rust", "typescript"}
)

type numberedPage[T any] struct {
	Items   []T `json:"items"`
	Page    int `json:"page"`
	PerPage int `json:"per_page"`
	Pages   int `json:"pages"`
	Total   int `json:"total"`
}

func listServices(st *state, in *request) (reply, error) {
	p := in.params()
	page, size := p.whole("page", 1, 1000, 1), p.whole("per_page", 1, 50, 10)
	tier, owner, language := p.whole("filter[tier]", 1, 3, 0), p.text("filter[owner_id]"), p.one("filter[language]", "", languages...)
	region := p.cookie("harbor_region", regions...)
	if err := p.err(); err != nil {
		return reply{}, err
	}
	found := keep(st.services, func(svc service) bool {
		return (tier == 0 || svc.Tier == tier) && (owner == "" || svc.OwnerID == owner) &&
			(language == "" || svc.Language == language) && (region == "" || slices.Contains(svc.Regions, region))
	})
	return ok(numberedPage[service]{Items: window(found, (page-1)*size, size), Page: page, PerPage: size,
		Pages: (len(found) + size - 1) / size, Total: len(found)})
}

// cookie reads a value from a cookie; absent means empty.
func (p *params) cookie(name string, allowed ...string) string {
	cookie, err := p.in.Cookie(name)
	if err != nil {
		return ""
	}
	p.among(name, cookie.Value, allowed)
	return cookie.Value
}

func getService(st *state, in *request) (reply, error) {
	svc, err := st.service(in.PathValue("service_id"))
	if err != nil {
		return reply{}, err
	}
	return ok(svc)
}

func (st *state) service(id string) (*service, error) {
	svc := find(st.services, id, func(s *service) string { return s.ID })
	if svc == nil {
		return nil, notFound("service", id, "GET /service lists all ids.")
	}
	return svc, nil
}

type servicePatch struct {
	Name     *string   `json:"name"`
	Tier     *int      `json:"tier"`
	OwnerID  *string   `json:"owner_id"`
	Language *string   `json:"language"`
	Regions  *[]string `json:"regions"`
}

func updateService(st *state, in *request) (reply, error) {
	svc, err := st.service(in.PathValue("service_id"))
	if err != nil {
		return reply{}, err
	}
	patch, err := readServicePatch(in)
	if err != nil {
		return reply{}, err
	}
	if err := patch.check(st); err != nil {
		return reply{}, err
	}
	set(&svc.Name, patch.Name)
	set(&svc.Tier, patch.Tier)
	set(&svc.OwnerID, patch.OwnerID)
	set(&svc.Language, patch.Language)
	set(&svc.Regions, patch.Regions)
	svc.UpdatedAt = in.now
	st.tell(in, "service.update", svc.ID)
	return ok(svc)
}

// readServicePatch reads either kind of body that the operation takes.
func readServicePatch(in *request) (servicePatch, error) {
	var patch servicePatch
	switch in.contentType() {
	case "application/json", "application/merge-patch+json":
		return patch, in.decode(&patch)
	case "application/x-www-form-urlencoded":
		return readServiceForm(in)
	}
	return patch, unsupported("application/json, application/merge-patch+json, application/x-www-form-urlencoded")
}

func readServiceForm(in *request) (servicePatch, error) {
	var patch servicePatch
	form, err := in.form()
	if err != nil {
		return patch, err
	}
	for name, values := range form {
		switch name {
		case "name":
			patch.Name = &values[0]
		case "owner_id":
			patch.OwnerID = &values[0]
		case "language":
			patch.Language = &values[0]
		case "regions":
			patch.Regions = &values
		case "tier":
			tier, err := strconv.Atoi(values[0])
			if err != nil {
				return patch, invalid("tier", "must be 1, 2 or 3")
			}
			patch.Tier = &tier
		default:
			return patch, invalid(name, "is no field of a service that can be changed")
		}
	}
	return patch, nil
}

func (patch servicePatch) check(st *state) error {
	p := &params{}
	if patch.Tier != nil && (*patch.Tier < 1 || *patch.Tier > 3) {
		p.fault("tier", "must be 1, 2 or 3")
	}
	if patch.Name != nil && strings.TrimSpace(*patch.Name) == "" {
		p.fault("name", "must not be empty")
	}
	if patch.Language != nil {
		p.among("language", *patch.Language, languages)
	}
	if patch.Regions != nil {
		p.amongAll("regions", *patch.Regions, regions)
	}
	if patch.OwnerID != nil {
		if _, err := st.person(*patch.OwnerID); err != nil {
			p.fault("owner_id", "is no person; GET /person lists all ids")
		}
	}
	return p.err()
}

// set copies a value that was given.
func set[T any](field *T, given *T) {
	if given != nil {
		*field = *given
	}
}

func (in *request) contentType() string {
	kind, _, err := mime.ParseMediaType(in.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// form reads an urlencoded body.
func (in *request) form() (url.Values, error) {
	form, err := url.ParseQuery(string(in.body))
	if err != nil {
		return nil, invalid("body", "is no urlencoded form")
	}
	return form, nil
}

func unsupported(taken string) *problem {
	return &problem{Status: http.StatusUnsupportedMediaType, Code: "unsupported_type",
		Detail: "The body's content type is not one this operation takes.", Hint: "It takes " + taken + "."}
}

func getRunbook(st *state, in *request) (reply, error) {
	svc, err := st.service(in.PathValue("service_id"))
	if err != nil {
		return reply{}, err
	}
	return typed(http.StatusOK, "text/plain; charset=utf-8", []byte(svc.runbook)), nil
}

func updateRunbook(st *state, in *request) (reply, error) {
	svc, err := st.service(in.PathValue("service_id"))
	if err != nil {
		return reply{}, err
	}
	if in.contentType() != "text/plain" {
		return reply{}, unsupported("text/plain")
	}
	if strings.TrimSpace(string(in.body)) == "" {
		return reply{}, invalid("body", "must be the text of the runbook, not empty")
	}
	svc.runbook, svc.UpdatedAt = string(in.body), in.now
	st.tell(in, "service.runbook", svc.ID)
	return noContent()
}
