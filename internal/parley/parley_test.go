package parley

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

type run = Run[string, string, string]

// greet asks for a name and greets it.
func greet(ctx context.Context, ask Ask[string, string]) (string, error) {
	name, err := ask(ctx, "name?")
	if err != nil {
		return "", err
	}
	return "hello " + name, nil
}

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Start(t.Context(), time.Minute, greet)
		_, question, asks, err := r.Wait(t.Context())
		if question != "name?" || !asks || err != nil {
			t.Fatalf("%q %v %v", question, asks, err)
		}
		time.Sleep(time.Hour) // the bound stands still
		if !r.Answer("Ann") {
			t.Error("it waits no more")
		}
		if value, _, asks, err := r.Wait(t.Context()); value != "hello Ann" || asks || err != nil {
			t.Errorf("%q %v %v", value, asks, err)
		}
		if r.Answer("Bob") {
			t.Error("answered after its end")
		}
	})
}

// The time that passes between questions counts.
func TestBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Start(t.Context(), time.Minute, func(ctx context.Context, ask Ask[string, string]) (string, error) {
			time.Sleep(40 * time.Second)
			if _, err := ask(ctx, "?"); err != nil {
				return "", err
			}
			begun := time.Now()
			<-ctx.Done()
			if got := time.Since(begun); got != 20*time.Second || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Errorf("after %s: %v", got, ctx.Err())
			}
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			return "", child.Err()
		})
		r.Wait(t.Context())
		time.Sleep(time.Hour)
		r.Answer("!")
		if _, _, _, err := r.Wait(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

func TestWhoLeavesEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Start(t.Context(), time.Minute, func(ctx context.Context, _ Ask[string, string]) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, asks, err := r.Wait(ctx); asks || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v %v", asks, err)
		}
	})
}

func TestTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := Table[*run]{Max: 3, MaxPer: 2}
		asking := func() *run {
			r := Start(t.Context(), time.Minute, greet)
			r.Wait(t.Context())
			return r
		}
		first, second := asking(), asking()
		ticket, err := table.Park(first, "ann", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if _, waits := table.Take("another"); waits {
			t.Error("a ticket that was made up is good")
		}
		got, waits := table.Take(ticket)
		if _, again := table.Take(ticket); got != first || !waits || again {
			t.Error("a ticket is good once")
		}
		first.Answer("Ann")
		if _, err := table.Park(second, "ann", time.Minute); err != nil {
			t.Fatal(err)
		}
		if _, err := table.Park(asking(), "ann", time.Minute); err != nil {
			t.Fatal(err)
		}
		if _, err := table.Park(asking(), "ann", time.Minute); !errors.Is(err, ErrFull) {
			t.Errorf("the third of one owner: %v", err)
		}
		if _, err := table.Park(asking(), "bob", time.Minute); err != nil {
			t.Fatal(err)
		}
		if _, err := table.Park(asking(), "eve", time.Minute); !errors.Is(err, ErrFull) {
			t.Errorf("the fourth of all: %v", err)
		}
		time.Sleep(2 * time.Minute)
		if _, _, _, err := second.Wait(t.Context()); !errors.Is(err, ErrLate) || table.Len() != 0 || len(table.owned) != 0 {
			t.Errorf("after their time: %v, %d are left", err, table.Len())
		}
	})
}
