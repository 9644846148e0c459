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
	"strconv"
	"strings"
	"time"
)

// Options of a client. Only BaseURL is needed; a key is sent with the calls that need it.
type Options struct {
	// BaseURL is the service, for instance https://auth.example.com.
	BaseURL string
	// SecretKey of an app (sk_…): all calls under /v1. A restricted key is sent the same way.
	SecretKey string
	// PublicToken of an app (pk_…): starts an OAuth login.
	PublicToken string
	// ManagementKey (mk_…): all calls under /management.
	ManagementKey string
	// Attempts of one call, the first included: 4 by default.
	Attempts int
	// Timeout of all attempts and the pauses between them: 60 s by default.
	Timeout time.Duration
	// HTTPClient replaces the default one, for instance to add a proxy. Redirects are not followed.
	HTTPClient *http.Client
}

// CallOptions are the options of one call.
type CallOptions struct {
	// IdempotencyKey of your own makes a call repeatable after a restart of your process.
	IdempotencyKey string
	Timeout        time.Duration
	Header         http.Header
}

// Error is an error response. Branch on Type, which is stable; the texts may change.
type Error struct {
	Status    int
	Type      string
	Message   string
	RequestID string
	// Problem is the whole body, with the members of its type, such as approval_id. Nil if the response is not of the service.
	Problem map[string]any
}

func (e *Error) Error() string { return e.Message }

// Is says whether an error is a response of one of these types.
func Is(err error, types ...string) bool {
	var response *Error
	if !errors.As(err, &response) {
		return false
	}
	for _, each := range types {
		if response.Type == each {
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

type transport struct {
	options Options
	http    *http.Client
}

func newTransport(options Options) *transport {
	if options.Attempts == 0 {
		options.Attempts = 4
	}
	if options.Timeout == 0 {
		options.Timeout = time.Minute
	}
	client := http.Client{}
	if options.HTTPClient != nil {
		client = *options.HTTPClient
	}
	// Following a redirect would send the body, and with it codes, to another address.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	options.BaseURL = strings.TrimRight(options.BaseURL, "/")
	return &transport{options: options, http: &client}
}

// Call makes a call by its name, such as users.create, with any JSON as its fields, and decodes the response into result.
func (c *Client) Call(ctx context.Context, name string, ids []string, fields, result any, options ...CallOptions) error {
	return c.transport.call(ctx, name, ids, fields, result, options)
}

func (t *transport) call(ctx context.Context, name string, ids []string, fields, result any, given []CallOptions) error {
	options := CallOptions{Timeout: t.options.Timeout}
	if len(given) > 0 {
		options = given[0]
		if options.Timeout == 0 {
			options.Timeout = t.options.Timeout
		}
	}
	route, isKnown := routes[name]
	if !isKnown {
		return fmt.Errorf("there is no call %s", name)
	}
	path, err := filled(route.path, ids)
	if err != nil {
		return err
	}
	header := http.Header{"Accept": {"application/json"}}
	for each, values := range options.Header {
		header[http.CanonicalHeaderKey(each)] = values
	}
	query, body := url.Values{}, []byte(nil)
	if route.method == http.MethodGet {
		if query, err = queryOf(fields); err != nil {
			return err
		}
	} else if fields != nil {
		if body, err = json.Marshal(fields); err != nil {
			return err
		}
		header.Set("Content-Type", "application/json")
	}
	key := t.options.SecretKey
	if strings.HasPrefix(route.path, "/management/") {
		key = t.options.ManagementKey
	}
	if name == "oauth.begin" && t.options.PublicToken != "" {
		query.Set("public_token", t.options.PublicToken)
	} else if key != "" && !strings.HasPrefix(route.path, "/v1/auth/jwks/{") && header.Get("Authorization") == "" {
		header.Set("Authorization", "Bearer "+key)
	}
	if route.method == http.MethodPost {
		if options.IdempotencyKey == "" {
			options.IdempotencyKey = randomKey()
		}
		header.Set("Idempotency-Key", options.IdempotencyKey)
	}
	address := t.options.BaseURL + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	ctx, cancel := context.WithTimeout(ctx, options.Timeout)
	defer cancel()
	return t.attempt(ctx, route.method, address, header, body, result)
}

// attempt repeats a call where that is safe, with the same bytes.
func (t *transport) attempt(ctx context.Context, method, address string, header http.Header, body []byte, result any) error {
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header = header.Clone()
		response, text, err := t.once(request)
		var pause time.Duration
		isRepeatable := false
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// PUT and PATCH are not repeated: another caller may have changed the same fields between two attempts.
			isRepeatable = method != http.MethodPut && method != http.MethodPatch
			longest := math.Min(5_000, 200*math.Pow(2, float64(attempt)))
			pause = time.Duration(mathrand.Float64()*longest) * time.Millisecond
			err = &NetworkError{Method: method, Path: request.URL.Path, Cause: err}
		} else if response.StatusCode == http.StatusOK {
			return json.Unmarshal(text, result)
		} else {
			err = errorOf(response, text)
			seconds, wrong := strconv.Atoi(response.Header.Get("Retry-After"))
			isRepeatable = wrong == nil && (response.StatusCode == 429 || response.StatusCode == 503)
			pause = time.Duration(seconds) * time.Second
		}
		deadline, _ := ctx.Deadline()
		if !isRepeatable || attempt >= t.options.Attempts || time.Now().Add(pause).After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (t *transport) once(request *http.Request) (*http.Response, []byte, error) {
	response, err := t.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, text, err
}

func errorOf(response *http.Response, text []byte) *Error {
	failure := &Error{Status: response.StatusCode, RequestID: response.Header.Get("X-Request-Id")}
	failure.Message = fmt.Sprintf("The service answered %d without a problem document.", response.StatusCode)
	problem := map[string]any{}
	if json.Unmarshal(text, &problem) == nil {
		if kind, isText := problem["error_type"].(string); isText {
			failure.Type, failure.Problem = kind, problem
			failure.Message, _ = problem["error_message"].(string)
		}
	}
	return failure
}

func randomKey() string {
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		panic(err)
	}
	return hex.EncodeToString(key)
}

func filled(path string, ids []string) (string, error) {
	parts := strings.Split(path, "{")
	if len(parts) != len(ids)+1 {
		return "", fmt.Errorf("%s needs %d ids", path, len(parts)-1)
	}
	text := parts[0]
	for index, part := range parts[1:] {
		// Proxies remove dots: an id ".." of a key would delete its app.
		if strings.Trim(strings.ReplaceAll(strings.ToLower(ids[index]), "%2e", "."), ".") == "" {
			return "", fmt.Errorf("%s needs ids", path)
		}
		text += url.PathEscape(ids[index]) + part[strings.Index(part, "}")+1:]
	}
	return text, nil
}

func queryOf(fields any) (url.Values, error) {
	query := url.Values{}
	text, err := json.Marshal(fields)
	if err != nil || fields == nil || string(text) == "null" {
		return query, err
	}
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, err
	}
	for name, value := range values {
		var words string
		if json.Unmarshal(value, &words) != nil {
			words = string(value)
		}
		query.Set(name, words)
	}
	return query, nil
}
