package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"sync"
	"time"
)

// Why a text is refused.
var (
	ErrForeign = errors.New("it is not what was handed out, or not for this") // altered, of another key, or bound to something else
	ErrExpired = errors.New("it is too old")
	ErrUsed    = errors.New("it was used before")
	ErrFull    = errors.New("too many are in use")
)

// maxUsed bounds how many texts that were used are remembered at once.
const maxUsed = 1 << 20

// nonceSize is that of GCM, and what a text is remembered by.
const nonceSize = 12

// Codec seals and opens (AES-256-GCM). It is safe for concurrent use.
type Codec struct {
	aead cipher.AEAD

	mu    sync.Mutex
	used  map[[nonceSize]byte]int64 // until when
	sweep int                       // how many there are when the next look at them is due
}

// New makes a codec of a key of any length. Without one, what it seals dies with this process.
func New(key []byte) *Codec {
	if len(key) == 0 {
		key = make([]byte, 32)
		rand.Read(key)
	}
	derived, err := hkdf.Key(sha256.New, key, nil, "twodoor: sealed state", 32)
	if err != nil {
		panic(err) // of the length asked for, which is a constant
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		panic(err) // of the length of the key, which is right
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // of the block's size, which is right
	}
	return &Codec{aead: aead, used: map[[nonceSize]byte]int64{}, sweep: 1024}
}

// Seal hides inner in a text that opens for the same purpose only, and not after a moment.
func (c *Codec) Seal(purpose []byte, until time.Time, inner []byte) string {
	plain := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(inner)), uint64(until.UnixMilli()))
	return base64.RawURLEncoding.EncodeToString(c.aead.Seal(nil, nil, append(plain, inner...), purpose))
}

// Open gives back what was sealed, as often as it is asked.
func (c *Codec) Open(purpose []byte, text string) ([]byte, error) {
	inner, _, _, err := c.open(purpose, text)
	return inner, err
}

// OpenOnce gives back what was sealed, the first time.
func (c *Codec) OpenOnce(purpose []byte, text string) ([]byte, error) {
	inner, nonce, until, err := c.open(purpose, text)
	if err != nil {
		return nil, err
	}
	return inner, c.use(nonce, until)
}

func (c *Codec) open(purpose []byte, text string) (inner []byte, nonce [nonceSize]byte, until int64, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) < nonceSize {
		return nil, nonce, 0, ErrForeign
	}
	copy(nonce[:], raw)
	plain, err := c.aead.Open(nil, nil, raw, purpose)
	if err != nil || len(plain) < 8 {
		return nil, nonce, 0, ErrForeign
	}
	until = int64(binary.BigEndian.Uint64(plain))
	if time.Now().UnixMilli() > until {
		return nil, nonce, 0, ErrExpired
	}
	return plain[8:], nonce, until, nil
}

// use remembers a text for as long as it would open.
func (c *Codec) use(nonce [nonceSize]byte, until int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, used := c.used[nonce]; used {
		return ErrUsed
	}
	if len(c.used) >= c.sweep {
		c.forget()
	}
	if len(c.used) >= maxUsed {
		return ErrFull
	}
	c.used[nonce] = until
	return nil
}

// forget drops what is too old to open, and looks again when there are twice as many.
func (c *Codec) forget() {
	now := time.Now().UnixMilli()
	for nonce, until := range c.used {
		if until < now {
			delete(c.used, nonce)
		}
	}
	c.sweep = max(1024, 2*len(c.used))
}
