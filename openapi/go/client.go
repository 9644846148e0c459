// Package identity is a client of the identity and wallets service. It needs the standard library only.
package identity

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	mathrand "math/rand"
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
	Timeout       time.Duration     // Of all attempts and the pauses between them: 60 s by default.
	Transport     http.RoundTripper // Replaces the default one, for instance to add a proxy.
}

// CallOptions are the options of one call.
type CallOptions struct {
	IdempotencyKey string // A key of your own makes a call repeatable after a restart of your process.
	Timeout        time.Duration
	Header         http.Header
}

// Error is an error response. Branch on Type, which is stable; the texts may change.
type Error struct {
	Status    int            `json:"-"`
	Type      string         `json:"error_type"`
	Message   string         `json:"error_message"`
	RequestID string         `json:"-"`
	Problem   map[string]any `json:"-"` // The whole body, with the members of its type, such as approval_id.
}

func (e *Error) Error() string { return e.Message }

// Is says whether an error is a response of one of these types.
func Is(err error, types ...string) bool {
	var response *Error
	isResponse := errors.As(err, &response)
	for _, each := range types {
		if isResponse && response.Type == each {
			return true
		}
	}
	return false
}

// NetworkError says that no whole response came: the service may have carried out the call or not.
type NetworkError struct {
	Method, Path string
	Cause        error
}

func (e *NetworkError) Error() string {
	return e.Method + " " + e.Path + " got no whole response: " + e.Cause.Error()
}

func (e *NetworkError) Unwrap() error { return e.Cause }

// Ptr is a pointer to a value, for optional fields.
func Ptr[T any](value T) *T { return &value }

type transport struct{ Options }

func newTransport(options Options) *transport {
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
	return &transport{options}
}

// Call makes a call by its name, such as users.create, with any JSON as its fields, and decodes the response into result.
func (c *Client) Call(ctx context.Context, name string, ids []string, fields, result any, options ...CallOptions) error {
	return c.transport.call(ctx, name, ids, fields, result, options)
}

// Proxies remove dots: an id ".." of a key would delete its app.
var noID = regexp.MustCompile(`(?i)^(\.|%2e)*$`)

func (t *transport) call(ctx context.Context, name string, ids []string, fields, result any, given []CallOptions) error {
	route, isKnown := routes[name]
	if !isKnown || strings.Count(route.path, "%s") != len(ids) {
		return fmt.Errorf("there is no call %s with %d ids", name, len(ids))
	}
	segments := make([]any, len(ids))
	for index, id := range ids {
		if noID.MatchString(id) {
			return fmt.Errorf("%s needs ids, not %q", name, id)
		}
		segments[index] = url.PathEscape(id)
	}
	var options CallOptions
	if len(given) > 0 {
		options = given[0]
	}
	if options.Timeout == 0 {
		options.Timeout = t.Timeout
	}
	if options.IdempotencyKey == "" {
		random := make([]byte, 16)
		if _, err := rand.Read(random); err != nil {
			return err
		}
		options.IdempotencyKey = hex.EncodeToString(random)
	}
	ctx, cancel := context.WithTimeout(ctx, options.Timeout)
	defer cancel()
	query, body, err := encoded(route.method, fields)
	if err != nil {
		return err
	}
	address := t.BaseURL + fmt.Sprintf(route.path, segments...)
	request, err := http.NewRequestWithContext(ctx, route.method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if route.method == http.MethodPost {
		request.Header.Set("Idempotency-Key", options.IdempotencyKey)
	}
	key := map[string]string{"secret_key": t.SecretKey, "public_token": t.PublicToken, "management_key": t.ManagementKey}[route.key]
	if key != "" && route.key == "public_token" {
		query.Set(route.key, key)
	} else if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	for each, values := range options.Header {
		request.Header[http.CanonicalHeaderKey(each)] = values
	}
	request.URL.RawQuery = query.Encode()
	return t.send(request, result)
}

// send repeats a request where that is safe, with the same bytes. A round trip follows no redirect, which would get the body, and
// with it codes.
func (t *transport) send(request *http.Request, result any) error {
	ctx := request.Context()
	deadline, _ := ctx.Deadline()
	for attempt := 1; ; attempt++ {
		request.Body, _ = request.GetBody()
		response, err := t.Transport.RoundTrip(request)
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
		longest := math.Min(5, 0.2*math.Pow(2, float64(attempt)))
		pause := time.Duration(mathrand.Float64() * longest * float64(time.Second))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			err = &NetworkError{request.Method, request.URL.Path, err}
		default:
			seconds, wrong := strconv.Atoi(response.Header.Get("Retry-After"))
			isRepeatable = wrong == nil && (response.StatusCode == 429 || response.StatusCode == 503)
			pause = time.Duration(seconds) * time.Second
			err = errorOf(response, text)
		}
		if !isRepeatable || attempt >= t.Attempts || time.Now().Add(pause).After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func errorOf(response *http.Response, text []byte) *Error {
	failure := &Error{Status: response.StatusCode, RequestID: response.Header.Get("X-Request-Id")}
	failure.Message = fmt.Sprintf("The service answered %d without a problem document.", response.StatusCode)
	_ = json.Unmarshal(text, failure)
	_ = json.Unmarshal(text, &failure.Problem)
	return failure
}

// encoded are the fields in the query of a GET, and in the body of all other calls.
func encoded(method string, fields any) (query url.Values, body []byte, err error) {
	query, members := url.Values{}, map[string]any{}
	body, err = json.Marshal(fields)
	if err != nil || method != http.MethodGet && string(body) != "null" {
		return query, body, err
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	err = decoder.Decode(&members)
	for name, value := range members {
		query.Set(name, fmt.Sprint(value))
	}
	return query, nil, err
}

// Iterator goes through all elements of a list. The next page is fetched when the end of one is reached.
type Iterator[T any] struct {
	fetch   func(context.Context) (items []T, hasMore bool, err error)
	items   []T
	hasMore bool
	value   T
	err     error
}

// Next says whether there is another element, which Value then returns. If there is none, Err says whether a call failed.
func (i *Iterator[T]) Next(ctx context.Context) bool {
	if len(i.items) == 0 && i.hasMore && i.err == nil {
		i.items, i.hasMore, i.err = i.fetch(ctx)
	}
	if len(i.items) == 0 {
		return false
	}
	i.value, i.items = i.items[0], i.items[1:]
	return true
}

// Value is the current element.
func (i *Iterator[T]) Value() T { return i.value }

// Err is the error that has ended the iteration, if one has.
func (i *Iterator[T]) Err() error { return i.err }
