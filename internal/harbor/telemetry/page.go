package telemetry

import "strconv"

// paging is how requests ask for a page.
type paging struct {
	PageSize  int    `json:"pageSize"`
	PageToken string `json:"pageToken"`
}

// pageOf is one page, and the token of the next; empty: there is none.
func pageOf[T any](all []T, want paging, usual, most int) (page []T, next string, err error) {
	size := want.PageSize
	if size == 0 {
		size = usual
	}
	if size < 1 || size > most {
		return nil, "", invalid("page_size is 1 to %d", most)
	}
	from := 0
	if want.PageToken != "" {
		if from, err = strconv.Atoi(want.PageToken); err != nil || from < 0 {
			return nil, "", invalid("page_token is none that was given")
		}
	}
	from = min(from, len(all))
	to := min(from+size, len(all))
	if to < len(all) {
		next = strconv.Itoa(to)
	}
	return all[from:to], next, nil
}
