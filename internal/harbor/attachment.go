package harbor

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"time"
)

const attachmentLimit = 5 << 20

type attachment struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Kind        string    `json:"kind"`
	Caption     string    `json:"caption"`
	ContentType string    `json:"content_type"`
	Size        int64     `json:"size"`
	SHA256      string    `json:"sha256"`
	At          time.Time `json:"at"`

	content []byte
}

var attachmentKinds = []string{"log", "screenshot", "report", "other"}

// createAttachment keeps a file and answers what arrived, so that a caller can compare.
func createAttachment(st *state, in *request) (reply, error) {
	inc, err := st.incident(in)
	if err != nil {
		return reply{}, err
	}
	if in.contentType() != "multipart/form-data" {
		return reply{}, unsupported("multipart/form-data")
	}
	file, err := readUpload(in)
	if err != nil {
		return reply{}, err
	}
	st.lastFile++
	file.ID, file.At = "att_"+strconv.Itoa(st.lastFile), in.now
	inc.Attachments = append(inc.Attachments, file)
	inc.happened(in.now, "attached", "p_ada", file.ID+" "+file.Name)
	st.tell(in, "incident.attach", inc.ID)
	return created(file)
}

func readUpload(in *request) (attachment, error) {
	file := attachment{Kind: "other"}
	_, media, err := mime.ParseMediaType(in.Header.Get("Content-Type"))
	if err != nil {
		return file, invalid("body", "names no boundary")
	}
	parts := multipart.NewReader(bytes.NewReader(in.body), media["boundary"])
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return file, invalid("body", "is no complete multipart form")
		}
		if err := file.take(part); err != nil {
			return file, err
		}
	}
	if file.content == nil {
		return file, invalid("file", "is required")
	}
	return file, nil
}

func (a *attachment) take(part *multipart.Part) error {
	content, err := io.ReadAll(part)
	if err != nil {
		return invalid(part.FormName(), "breaks off")
	}
	switch part.FormName() {
	case "file":
		return a.keep(part, content)
	case "caption":
		a.Caption = string(content)
	case "kind":
		a.Kind = string(content)
		p := &params{}
		p.among("kind", a.Kind, attachmentKinds)
		return p.err()
	default:
		return invalid(part.FormName(), "is no field of an attachment")
	}
	return nil
}

func (a *attachment) keep(part *multipart.Part, content []byte) error {
	if len(content) > attachmentLimit {
		return &problem{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Detail: "The file weighs more than 5 MiB.",
			Hint: "Send the part that matters, or compress it."}
	}
	a.hold(content)
	a.Name, a.ContentType = part.FileName(), part.Header.Get("Content-Type")
	if a.Name == "" {
		a.Name = "unnamed"
	}
	if a.ContentType == "" {
		a.ContentType = "application/octet-stream"
	}
	return nil
}

// hold takes the content, its size and its checksum.
func (a *attachment) hold(content []byte) {
	sum := sha256.Sum256(content)
	a.content, a.Size, a.SHA256 = content, int64(len(content)), hex.EncodeToString(sum[:])
}

func getAttachment(st *state, in *request) (reply, error) {
	inc, err := st.incident(in)
	if err != nil {
		return reply{}, err
	}
	id := in.PathValue("attachment_id")
	file := find(inc.Attachments, id, func(a *attachment) string { return a.ID })
	if file == nil {
		return reply{}, notFound("attachment", id, "GET /incident/"+inc.ID+" lists the attachments it has.")
	}
	return typed(http.StatusOK, "application/octet-stream", file.content).
		with("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name})), nil
}
