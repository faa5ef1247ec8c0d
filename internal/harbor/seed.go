package harbor

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// How much is seeded; openapi.yaml names these numbers.
const (
	troubleAgo      = 84 * time.Minute // how long ago chg_0240 was rolled out
	seededIncidents = 126
	seededChanges   = 240
	beforeIncident  = 1000 // the number before the first incident's
)

// seed makes the data as it is at a time. The same time gives the same data; another time moves all times alike.
func seed(now time.Time) *state {
	st := &state{seededAt: now, people: seedPeople(), schedules: seedSchedules(now), services: seedServices(now), once: map[string]string{},
		warm: map[string]time.Time{}, lastIncident: beforeIncident}
	st.workflows = seedWorkflows(now)
	dice := rand.New(rand.NewPCG(7, 788))
	st.seedChanges(now, dice)
	st.seedIncidents(now, dice)
	st.seedToday(now)
	st.numberAudit()
	return st
}

func seedServices(now time.Time) []service {
	var services []service
	for _, line := range []string{
		"svc_checkout Checkout 1 p_ada 0071 go de,us svc_payments,svc_cart", "svc_payments Payments 1 p_bo 0071 go de,no,us svc_ledger",
		"svc_ledger Ledger 1 p_bo 0071 java de svc_identity", "svc_cart Cart 2 p_eli 0073 typescript de,us svc_catalog",
		"svc_catalog Catalog 2 p_fay 0073 java de,no,us svc_search", "svc_search Search 2 p_chen 0072 rust de,us svc_index",
		"svc_index Index 3 p_dina 0072 rust de -", "svc_web Web 1 p_eli 0073 typescript de,no,us svc_cart,svc_search",
		"svc_identity Identity 1 p_gus 0074 go de,no,us -", "svc_mail Mail 3 p_hana 0074 python no -",
		"svc_warehouse Warehouse 3 p_ivo 0074 python de,us svc_ledger", "svc_reports Reports 3 p_june 0074 python de svc_warehouse",
	} {
		word := strings.Fields(line)
		svc := service{ID: word[0], Name: word[1], Tier: int(word[2][0] - '0'), OwnerID: word[3], ScheduleID: word[4], Language: word[5],
			Regions: strings.Split(word[6], ","), DependsOn: []string{}, UpdatedAt: now.Add(-72 * time.Hour)}
		if word[7] != "-" {
			svc.DependsOn = strings.Split(word[7], ",")
		}
		svc.runbook = "Runbook of " + svc.Name + "\n\n1. Compare the last changes with the time the incident began.\n" +
			"2. Roll back a change that fits; do not wait for proof.\n3. If nothing fits, look at " + word[7] + ".\n4. Escalate after 15 minutes.\n"
		services = append(services, svc)
	}
	return services
}

// seedChanges rolls out something every 84 minutes over two weeks; chg_0240 is the one that broke the checkout.
func (st *state) seedChanges(now time.Time, dice *rand.Rand) {
	for i := range seededChanges {
		svc := st.services[dice.IntN(len(st.services))]
		kind := changeKinds[dice.IntN(len(changeKinds))]
		ch := change{ID: changeID(i + 1), BuildID: buildFirst + int64(2*i), ServiceID: svc.ID, Kind: kind, AuthorID: svc.OwnerID,
			Summary:  fmt.Sprintf("%s of %s, build %d", strings.ToUpper(kind[:1])+kind[1:], svc.Name, 400+i),
			At:       now.Add(-time.Duration(seededChanges-i) * 84 * time.Minute),
			Reverted: dice.IntN(15) == 0}
		if ch.ID == "chg_0240" {
			ch.ServiceID, ch.Kind, ch.AuthorID, ch.Reverted = "svc_checkout", "config", "p_bo", false
			ch.Summary = "Cut the connection pool of Checkout from 200 to 20"
		}
		st.changes = append([]change{ch}, st.changes...)
		if i%4 == 0 {
			st.tellAt(ch.At, ch.AuthorID, "change.create", ch.ID)
		}
	}
}

var symptoms = []string{
	"latency p99 above 2 s", "error rate above 5 %", "queue grows without end", "pods restart in a loop",
	"certificate expires in 3 days", "disk 90 % full", "replica lags 10 minutes", "webhooks are retried",
}

// seedIncidents tells eight weeks of history, all closed.
func (st *state) seedIncidents(now time.Time, dice *rand.Rand) {
	const gap = 11 * time.Hour
	for i := range seededIncidents - 4 {
		svc := st.services[dice.IntN(len(st.services))]
		symptom := symptoms[dice.IntN(len(symptoms))]
		at := now.Add(-time.Duration(seededIncidents-i) * gap)
		inc := st.seedIncident(at, svc.Name+": "+symptom, severities[dice.IntN(4)], svc.ID, "team:"+teamOf(st, svc))
		inc.ack(at.Add(time.Duration(2+dice.IntN(20))*time.Minute), svc.OwnerID)
		inc.close(at.Add(time.Duration(30+dice.IntN(300))*time.Minute), svc.OwnerID, "Rolled back, then watched for an hour.")
		st.tellAt(*inc.ClosedAt, svc.OwnerID, "incident.close", inc.ID)
	}
}

func teamOf(st *state, svc service) string {
	owner, err := st.person(svc.OwnerID)
	if err != nil {
		return "nobody"
	}
	return owner.Team
}

func (st *state) seedIncident(at time.Time, title, severity, service, label string) *incident {
	return st.open(at, incidentDraft{Title: title, Severity: severity, ServiceID: service, Labels: []string{label},
		Description: title + ". Opened by the alert rule of the service; the runbook of " + service + " says what to try first. " +
			"Numbers, hosts and samples of the alert are in the log of the day."})
}

func (inc *incident) ack(at time.Time, who string) {
	inc.Status, inc.AckedAt, inc.AssigneeID = "acked", &at, &who
	inc.happened(at, "acked", who, "Acknowledged.")
}

func (inc *incident) close(at time.Time, who, resolution string) {
	inc.Status, inc.ClosedAt, inc.Resolution = "closed", &at, resolution
	inc.happened(at, "closed", who, resolution)
}

// seedToday tells the four incidents of today, which the examples of the document and the guides speak of.
func (st *state) seedToday(now time.Time) {
	stale := st.seedIncident(now.Add(-9*time.Hour), "Search: index is two hours stale", "sev3", "svc_search", "team:search")
	stale.ack(now.Add(-8*time.Hour), "p_chen")
	stale.Escalation = &escalation{Level: 1, PagedID: "p_dina", At: now.Add(-7 * time.Hour)}
	stale.happened(now.Add(-7*time.Hour), "escalated", "p_chen", "Paged p_dina at level 1.")

	hooks := st.seedIncident(now.Add(-3*time.Hour), "Payments: webhooks are retried", "sev2", "svc_payments", "team:payments")
	hooks.ack(now.Add(-170*time.Minute), "p_bo")
	hooks.happened(now.Add(-150*time.Minute), "note", "p_bo", "The bank's endpoint answers 503 since noon; we only retry.")

	st.seedIncident(now.Add(-100*time.Minute), "Mail: queue grows without end", "sev4", "svc_mail", "team:platform")

	slow := st.seedIncident(now.Add(-80*time.Minute), "Checkout: latency p99 above 2 s", "sev1", "svc_checkout", "team:payments")
	slow.Labels = append(slow.Labels, "customer-facing")
	slow.Fields = json.RawMessage(`{"alert_id":1152921504606847233,"threshold_ms":2000,"seen_ms":2841.50,"dashboards":["checkout/main"]}`)
	st.lastFile++
	file := attachment{ID: "att_1", Name: "alert.txt", Kind: "log", Caption: "The alert as it came in", ContentType: "text/plain", At: slow.CreatedAt}
	file.hold([]byte("checkout p99=2841ms threshold=2000ms pool.waiting=180\n"))
	slow.Attachments = append(slow.Attachments, file)
}
