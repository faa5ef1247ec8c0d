package send

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"github.com/twodoor/twodoor"
)

// unreached tells why no answer came. The cause is kept for the log; it may name addresses.
func unreached(ctx context.Context, source string, err error) error {
	if isA[*twodoor.Error](err) {
		return err
	}
	if ctx.Err() != nil {
		return interrupted(ctx, source)
	}
	fault := &twodoor.Error{Code: twodoor.CodeUpstream, Message: source + " broke the connection off before it answered",
		Hint: "whether the call was carried out is not known: look before you repeat it", Cause: err}
	unavailable := func(what, hint string) {
		fault.Code, fault.Message, fault.Hint = twodoor.CodeUnavailable, source+" cannot be reached: "+what, hint
	}
	var network net.Error
	switch {
	case isA[*net.DNSError](err):
		unavailable("its host name has no address", "check the source's target and this machine's network")
	case isA[*tls.CertificateVerificationError](err):
		unavailable("its certificate is not trusted here", "correct the target's host name, or have this machine trust who signed the certificate")
	case isA[tls.RecordHeaderError](err):
		unavailable("it does not speak TLS", "its target may have to begin with http://")
	case isDial(err):
		unavailable("nobody answers at its address", "check that it runs and that the source's target is right, then call again")
	case errors.As(err, &network) && network.Timeout():
		fault.Code, fault.Message = twodoor.CodeTimeout, source+" did not answer in time"
	}
	return fault
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isDial(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// interrupted tells the end of the context: a deadline, or a caller who left.
func interrupted(ctx context.Context, source string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &twodoor.Error{Code: twodoor.CodeTimeout, Message: source + " did not answer within the time of the call",
			Hint: "ask for less, or give the call more time; a call that changes something may have been carried out", Cause: ctx.Err()}
	}
	return ctx.Err()
}
