package harbor

import (
	"strconv"
	"strings"
	"time"
)

// logDays is how many days back logs are kept.
const logDays = 7

// logOf names the log that was written at a time, or nothing when it is gone already.
func (st *state) logOf(serviceID string, at time.Time) *string {
	days := max(0, int(st.seededAt.Sub(at)/(24*time.Hour)))
	if days >= logDays {
		return nil
	}
	id := logID(serviceID, days)
	return &id
}

// logID names the log that a service wrote so many days ago.
func logID(serviceID string, daysAgo int) string {
	return "log_" + strings.TrimPrefix(serviceID, "svc_") + "_" + strconv.Itoa(daysAgo)
}
