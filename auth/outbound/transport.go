package outbound

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"time"
)

// NewTransport is a transport for calls to a few hosts, many at a time. It bounds how long a
// connection may take to be made; the answer is bounded by the context of the call.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           512,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		ResponseHeaderTimeout:  10 * time.Minute, // models think for minutes before they answer
		MaxResponseHeaderBytes: 1 << 20,
	}
}

func (c *Client) transport() http.RoundTripper {
	c.once.Do(func() {
		if c.plain = c.Transport; c.plain == nil {
			c.plain = NewTransport()
		}
	})
	return c.plain
}

// transportOf is the transport of a request. One that is not ours is taken as it is.
func (c *Client) transportOf(req *http.Request) http.RoundTripper {
	base, ok := c.transport().(*http.Transport)
	if req.ProtoMajor != 2 || req.URL.Scheme != "http" || !ok {
		return c.transport()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bare == nil {
		c.bare = base.Clone()
		c.bare.Protocols = new(http.Protocols)
		c.bare.Protocols.SetUnencryptedHTTP2(true)
	}
	return c.bare
}

// CloseIdle closes the connections that no call uses.
func (c *Client) CloseIdle() {
	if t, ok := c.transport().(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bare != nil {
		c.bare.CloseIdleConnections()
	}
	for _, t := range c.secure {
		t.CloseIdleConnections()
	}
}

// withCertificate is a transport that shows the certificate of a connection.
func (c *Client) withCertificate(k key, cred credential) (http.RoundTripper, error) {
	base, ok := c.transport().(*http.Transport)
	if !ok {
		return nil, k.unusable(errors.New("client certificates do not work over this transport"))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	id := k.name + "\x00" + cred.key.Reveal() + cred.user.Reveal() + cred.roots.Reveal()
	if t := c.secure[id]; t != nil {
		return t, nil
	}
	config, err := tlsConfig(base.TLSClientConfig, cred)
	if err != nil {
		return nil, k.unusable(err)
	}
	t := base.Clone()
	t.TLSClientConfig = config
	if c.secure == nil || len(c.secure) > 64 {
		c.secure = map[string]*http.Transport{}
	}
	c.secure[id] = t
	return t, nil
}

func tlsConfig(base *tls.Config, cred credential) (*tls.Config, error) {
	config := base.Clone()
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	pair, err := tls.X509KeyPair([]byte(cred.user.Reveal()), []byte(cred.key.Reveal()))
	if err != nil {
		return nil, errors.New("its certificate and private key are no pair of PEM texts")
	}
	config.Certificates = []tls.Certificate{pair}
	if !cred.roots.IsZero() {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(cred.roots.Reveal())) {
			return nil, errors.New("its ca holds no certificate in PEM")
		}
	}
	return config, nil
}
