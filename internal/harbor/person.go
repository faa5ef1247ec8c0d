package harbor

import "strings"

type person struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Team  string `json:"team"`
	Phone string `json:"phone,omitempty"`
}

var teams = []string{"payments", "search", "storefront", "platform", "data"}

func listPeople(st *state, in *request) (reply, error) {
	p := in.params()
	ids, team := p.list("ids", ","), p.one("team", "", teams...)
	if err := p.err(); err != nil {
		return reply{}, err
	}
	found := keep(st.people, func(who person) bool { return wants(ids, who.ID) && (team == "" || who.Team == team) })
	return ok(map[string]any{"items": found})
}

func getPerson(st *state, in *request) (reply, error) {
	who, err := st.person(in.PathValue("person_id"))
	if err != nil {
		return reply{}, err
	}
	return ok(who)
}

func (st *state) person(id string) (*person, error) {
	who := find(st.people, id, func(p *person) string { return p.ID })
	if who == nil {
		return nil, notFound("person", id, "GET /person lists all ids.")
	}
	return who, nil
}

func seedPeople() []person {
	var people []person
	for _, line := range []string{
		"p_ada Ada Okafor payments", "p_bo Bo Lindqvist payments", "p_chen Chen Wei search", "p_dina Dina Haddad search",
		"p_eli Eli Novak storefront", "p_fay Fay Moreau storefront", "p_gus Gus Pereira platform", "p_hana Hana Sato platform",
		"p_ivo Ivo Kranz data", "p_june June Abara data",
	} {
		word := strings.Fields(line)
		who := person{ID: word[0], Name: word[1] + " " + word[2], Team: word[3]}
		who.Email = strings.ToLower(word[1]) + "@harbor.example"
		people = append(people, who)
	}
	people[0].Phone = "+49 30 5550 0101"
	return people
}
