// Package identity is a client of the identity and wallets service. It needs the standard library only.
package identity

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Options of a client. Only BaseURL is needed; a key is sent with the calls that need it.
type Options struct {
	BaseURL       string            // The service, for instance https://auth.example.com.
	SecretKey     string            // Of an app (sk_…), or a restricted key: all calls under /v1.
	PublicToken   string            // Of an app (pk_…): starts an OAuth login.
	ManagementKey string            // Of an operator (mk_…): all calls under /management.
	Attempts      int               // Of one call, the first included: 4 by default.
	Timeout       time.Duration     // Of all attempts and the pauses between them: 60 s by default. The context of a call may end it earlier.
	Transport     http.RoundTripper // Replaces the default one, for instance to add a proxy or to trace.
}

// CallOption changes the request of one call, which all its attempts send.
type CallOption func(request *http.Request)

// Header sets a header of one call.
func Header(name, value string) CallOption {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// IdempotencyKey makes a call repeatable after a restart of your process, if you have stored the key.
func IdempotencyKey(key string) CallOption { return Header("Idempotency-Key", key) }

// Ptr is a pointer to a value, for optional fields.
func Ptr[T any](value T) *T { return &value }

// Error is an error response, with the members of its type, such as ApprovalID. Branch on the type, which is stable, by
// errors.Is(err, ErrDuplicateEmail). Without a whole response a call fails with a *url.Error: it may have been carried out or not.
type Error struct{ Problem }

func (e *Error) Error() string        { return e.ErrorMessage }
func (e *Error) Is(target error) bool { return target == ErrorType(e.ErrorType) }

// NewClient makes a client of one service.
func NewClient(options Options) *Client {
	options.BaseURL = strings.TrimRight(options.BaseURL, "/")
	if options.Attempts == 0 {
		options.Attempts = 4
	}
	if options.Timeout == 0 {
		options.Timeout = time.Minute
	}
	if options.Transport == nil {
		options.Transport = http.DefaultTransport
	}
	return newClient(options)
}

// Call makes a call by its name, such as users.create, and decodes the response into result. The fields are url.Values for a GET, and
// become JSON for the others.
func (c *Client) Call(ctx context.Context, name string, ids []string, fields, result any, options ...CallOption) error {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	request, err := c.request(ctx, name, ids, fields)
	if err != nil {
		return err
	}
	for _, change := range options {
		change(request)
	}
	return c.send(request, result)
}

// Proxies remove dots: an id ".." of a key would delete its app.
var noID = regexp.MustCompile(`(?i)^(\.|%2e)*$`)

func (c *Client) request(ctx context.Context, name string, ids []string, fields any) (*http.Request, error) {
	route, isKnown := routes[name]
	if !isKnown || strings.Count(route.path, "%s") != len(ids) {
		return nil, fmt.Errorf("there is no call %s with %d ids", name, len(ids))
	}
	address := c.options.BaseURL + route.path
	for _, id := range ids {
		if noID.MatchString(id) {
			return nil, fmt.Errorf("%s needs ids, not %q", name, id)
		}
		address = strings.Replace(address, "%s", url.PathEscape(id), 1)
	}
	query, isQuery := fields.(url.Values)
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	if isQuery || string(body) == "null" {
		body = nil
	}
	request, err := http.NewRequestWithContext(ctx, route.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.URL.RawQuery = query.Encode()
	c.options.authorize(request, route.key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	// The same at all attempts, so that they have one effect.
	if route.method == http.MethodPost {
		random := make([]byte, 16)
		_, err = rand.Read(random)
		request.Header.Set("Idempotency-Key", fmt.Sprintf("%x", random))
	}
	return request, err
}

// send repeats a request where that is safe, with the same bytes. A round trip follows no redirect, which would get the body, and
// with it codes.
func (c *Client) send(request *http.Request, result any) error {
	ctx := request.Context()
	deadline, _ := ctx.Deadline()
	for attempt := 1; ; attempt++ {
		request.Body, _ = request.GetBody()
		response, err := c.options.Transport.RoundTrip(request)
		var text []byte
		if err == nil {
			text, err = io.ReadAll(response.Body)
			response.Body.Close()
		}
		if err == nil && response.StatusCode == http.StatusOK {
			return json.Unmarshal(text, result)
		}
		// PUT and PATCH are not repeated: another caller may have changed the same fields between two attempts.
		isRepeatable := request.Method != http.MethodPut && request.Method != http.MethodPatch
		pause := time.Duration(time.Now().UnixNano()) % (time.Duration(attempt) * time.Second / 2)
		next := time.Now().Add(pause)
		if err != nil {
			err = &url.Error{Op: request.Method, URL: request.URL.Path, Err: err}
		} else {
			after := response.Header.Get("Retry-After")
			seconds, wrong := strconv.ParseUint(after, 10, 31)
			next = next.Add(time.Duration(seconds) * time.Second)
			if wrong != nil {
				next, wrong = http.ParseTime(after)
			}
			isRepeatable = wrong == nil && (response.StatusCode == 429 || response.StatusCode == 503)
			refusal := &Error{Problem{RequestID: response.Header.Get("X-Request-Id")}}
			refusal.ErrorMessage = fmt.Sprintf("The service answered %d without a problem document.", response.StatusCode)
			_ = json.Unmarshal(text, &refusal.Problem)
			refusal.Status = int64(response.StatusCode)
			err = refusal
		}
		if !isRepeatable || attempt >= c.options.Attempts || next.After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(next)):
		}
	}
}
