package harbor

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// schedule is a ladder of people who take turns by weeks.
type schedule struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Team      string     `json:"team"`
	PersonIDs []string   `json:"person_ids"`
	ShiftDays int        `json:"shift_days"`
	Overrides []override `json:"overrides"`

	start time.Time
}

// override puts a person in front of everybody for a while.
type override struct {
	ID       string    `json:"id"`
	PersonID string    `json:"person_id"`
	From     time.Time `json:"from"`
	Until    time.Time `json:"until"`
}

// shift is who is on call, and how long still.
type shift struct {
	ScheduleID string `json:"schedule_id"`
	PersonID   string `json:"person_id"`
	Name       string `json:"name"`
	Email      string `json:"email"`
	NextID     string `json:"next_id"`
	Until      string `json:"until"`
	Override   bool   `json:"override"`
}

func listSchedules(st *state, in *request) (reply, error) {
	return ok(map[string]any{"items": st.schedules})
}

func getSchedule(st *state, in *request) (reply, error) {
	plan, err := st.schedule(in.PathValue("schedule_id"))
	if err != nil {
		return reply{}, err
	}
	return ok(plan)
}

func (st *state) schedule(id string) (*schedule, error) {
	plan := find(st.schedules, id, func(s *schedule) string { return s.ID })
	if plan == nil {
		return nil, notFound("schedule", id, "GET /oncall/schedule lists all ids; they are strings and keep their leading zeros.")
	}
	return plan, nil
}

func getOncallNow(st *state, in *request) (reply, error) {
	p := in.params()
	schedule, service := p.text("schedule_id"), p.text("service_id")
	zone := p.offset("Harbor-UTC-Offset")
	if err := p.err(); err != nil {
		return reply{}, err
	}
	if service != "" {
		svc, err := st.service(service)
		if err != nil {
			return reply{}, err
		}
		schedule = svc.ScheduleID
	}
	shifts := []shift{}
	for _, plan := range st.schedules {
		if schedule == "" || plan.ID == schedule {
			shifts = append(shifts, st.shiftOf(plan, in.now, zone))
		}
	}
	return ok(map[string]any{"at": in.now.In(zone).Format(time.RFC3339), "items": shifts})
}

// offset reads a header such as +02:00; absent means UTC.
func (p *params) offset(header string) *time.Location {
	text := p.in.Header.Get(header)
	if text == "" {
		return time.UTC
	}
	at, err := time.Parse("-07:00", text)
	if err != nil {
		p.fault(header, "must be an offset such as +02:00")
		return time.UTC
	}
	return at.Location()
}

func (st *state) shiftOf(plan schedule, now time.Time, zone *time.Location) shift {
	at, until := plan.turn(now)
	who := plan.PersonIDs[at]
	current := shift{ScheduleID: plan.ID, NextID: plan.PersonIDs[(at+1)%len(plan.PersonIDs)]}
	if over := plan.overrideAt(now); over != nil {
		who, until, current.Override = over.PersonID, over.Until, true
	}
	if person, err := st.person(who); err == nil {
		current.Name, current.Email = person.Name, person.Email
	}
	current.PersonID, current.Until = who, until.In(zone).Format(time.RFC3339)
	return current
}

// turn is the index of who is on call by the rotation, and when that ends.
func (plan schedule) turn(now time.Time) (int, time.Time) {
	length := time.Duration(plan.ShiftDays) * 24 * time.Hour
	turns := int(now.Sub(plan.start) / length)
	return turns % len(plan.PersonIDs), plan.start.Add(time.Duration(turns+1) * length)
}

// overrideAt is the override in force; the last one made wins.
func (plan schedule) overrideAt(now time.Time) *override {
	for i := len(plan.Overrides) - 1; i >= 0; i-- {
		if over := &plan.Overrides[i]; within(now, over.From, over.Until) {
			return over
		}
	}
	return nil
}

// rung is who stands at a level of a service's ladder: level 1 is whoever is on call.
func (st *state) rung(serviceID string, level int, now time.Time) string {
	svc, err := st.service(serviceID)
	if err != nil {
		return "p_gus"
	}
	plan, err := st.schedule(svc.ScheduleID)
	if err != nil {
		return "p_gus"
	}
	if over := plan.overrideAt(now); over != nil && level == 1 {
		return over.PersonID
	}
	at, _ := plan.turn(now)
	return plan.PersonIDs[(at+level-1)%len(plan.PersonIDs)]
}

func createOverride(st *state, in *request) (reply, error) {
	plan, err := st.schedule(in.PathValue("schedule_id"))
	if err != nil {
		return reply{}, err
	}
	var body struct {
		PersonID string    `json:"person_id"`
		From     time.Time `json:"from"`
		Hours    int       `json:"hours"`
	}
	if err := in.decode(&body); err != nil {
		return reply{}, err
	}
	if _, err := st.person(body.PersonID); err != nil {
		return reply{}, invalid("person_id", "is required and must be a person; GET /person lists all ids")
	}
	if body.Hours < 1 || body.Hours > 336 {
		return reply{}, invalid("hours", "is required, from 1 to 336")
	}
	if body.From.IsZero() {
		body.From = in.now
	}
	over := override{ID: "ov_" + strconv.Itoa(len(plan.Overrides)+1), PersonID: body.PersonID, From: body.From.UTC(),
		Until: body.From.UTC().Add(time.Duration(body.Hours) * time.Hour)}
	plan.Overrides = append(slices.Clip(plan.Overrides), over)
	st.tell(in, "oncall.override", plan.ID)
	return created(over)
}

func seedSchedules(now time.Time) []schedule {
	var plans []schedule
	for i, line := range []string{
		"0071 payments p_ada p_bo p_gus", "0072 search p_chen p_dina p_hana", "0073 storefront p_eli p_fay p_gus", "0074 platform p_gus p_hana p_ivo p_june",
	} {
		word := strings.Fields(line)
		plans = append(plans, schedule{ID: word[0], Name: word[1] + " primary", Team: word[1], PersonIDs: word[2:], ShiftDays: 7,
			Overrides: []override{}, start: now.Add(-time.Duration(60+i) * 24 * time.Hour)})
	}
	return plans
}
