package aws

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mvdan.cc/sh/v3/shell"
)

// profile is what the person's two files say under one name.
type profile struct {
	name    string
	has     map[string]string // by key; the credentials file takes precedence
	session map[string]string // of the sso-session that the profile names
	file    string            // the file that names credential_process
	above   []string          // profiles that need its credentials for their role, the nearest last
}

// profile reads the profile to use. A missing profile is an error only if somebody named it.
func (s *Source) profile() (p profile, err error) {
	named := cmp.Or(s.Profile, env("AWS_PROFILE"))
	p = profile{name: cmp.Or(named, "default"), has: map[string]string{}}
	settings, err := sections("AWS_CONFIG_FILE", "config")
	if err != nil {
		return p, err
	}
	secrets, err := sections("AWS_SHARED_CREDENTIALS_FILE", "credentials")
	if err != nil {
		return p, err
	}
	section := "profile " + p.name
	if settings.by[section] == nil && p.name == "default" {
		section = p.name
	}
	for _, f := range []sectioned{settings, secrets} {
		for key, value := range f.by[section] {
			p.has[key] = value
			if key == "credential_process" {
				p.file = f.path
			}
		}
		section = p.name
	}
	p.session = settings.by["sso-session "+p.has["sso_session"]]
	if len(p.has) == 0 && named != "" {
		return p, missing(fmt.Sprintf("no AWS profile %s in %s or %s", named, settings.path, secrets.path))
	}
	return p, nil
}

// sectioned is a file of sections with keys.
type sectioned struct {
	path string
	by   map[string]map[string]string
}

// sections reads the file that a variable names, else the one in ~/.aws. A file that does not exist is empty. Lines
// nested below a key are skipped, since none of them matters here. Names and keys are compared as Amazon's tools do:
// a run of blanks in a name counts as one, and keys ignore case.
func sections(variable, usual string) (sectioned, error) {
	f := sectioned{path: env(variable), by: map[string]map[string]string{}}
	if f.path == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return f, nil
		}
		f.path = filepath.Join(home, ".aws", usual)
	}
	raw, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, missing("cannot read AWS's files: " + err.Error())
	}
	var now map[string]string
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimRight(line, "\r\n")
		if text := strings.TrimSpace(line); strings.HasPrefix(text, "[") {
			name, _, _ := strings.Cut(text[1:], "]")
			name = strings.Join(strings.Fields(name), " ")
			if f.by[name] == nil {
				f.by[name] = map[string]string{}
			}
			now = f.by[name]
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || now == nil || strings.IndexAny(line, "#; \t") == 0 { // a comment, or a nested line
			continue
		}
		value, _, _ = strings.Cut(value, " #")
		now[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
	return f, nil
}

// unknown are the methods of a profile that we do not support.
var unknown = []struct{ key, what string }{
	{"login_session", "uses aws login"},
}

// way returns the function that gets a profile's credentials.
func (p profile) way() (func(context.Context, *Source, profile) (Credentials, error), error) {
	for _, u := range unknown {
		if p.has[u.key] != "" {
			return nil, missing(fmt.Sprintf("AWS profile %s %s (%s), which is not supported; put its credentials into the environment "+
				`with: eval "$(aws configure export-credentials --profile %s --format env)"`, p.name, u.what, u.key, p.name))
		}
	}
	switch {
	case p.has["role_arn"] != "":
		return assumed, nil
	case p.has["aws_access_key_id"] != "" && p.has["aws_secret_access_key"] != "":
		return fixed, nil
	case p.has["sso_account_id"] != "" && p.has["sso_role_name"] != "":
		return signedOn, nil
	case p.has["credential_process"] != "":
		return told, nil
	}
	if u, err := inContainer(); u != nil || err != nil {
		return contained, err
	}
	if u, err := onInstance(); u != nil || err != nil {
		return instance, err
	}
	return nil, missing("no AWS credentials; set AWS_BEARER_TOKEN_BEDROCK (a Bedrock API key), AWS_ACCESS_KEY_ID and " +
		"AWS_SECRET_ACCESS_KEY, or AWS_PROFILE")
}

// fixed returns the credentials written in the profile.
func fixed(_ context.Context, _ *Source, p profile) (Credentials, error) {
	return Credentials{KeyID: p.has["aws_access_key_id"], Secret: p.has["aws_secret_access_key"], Token: p.has["aws_session_token"]}, nil
}

// told returns the credentials that the profile's program prints: one JSON object, version 1. The command line is
// split as a shell would, with variables, but no command is run to expand it.
func told(ctx context.Context, s *Source, p profile) (c Credentials, err error) {
	words, err := shell.Fields(p.has["credential_process"], os.Getenv)
	if err != nil || len(words) == 0 {
		return c, missing(fmt.Sprintf("the credential_process of AWS profile %s in %s cannot be read as a command", p.name, p.file))
	}
	raw, err := s.Run(ctx, p.file, words)
	if ctx.Err() != nil {
		return c, ctx.Err()
	}
	if err != nil {
		return c, missing(fmt.Sprintf("the credential_process of AWS profile %s failed: %v", p.name, err))
	}
	var out struct {
		Version                                    int
		AccessKeyID, SecretAccessKey, SessionToken string
		Expiration                                 time.Time
	}
	if json.Unmarshal(raw, &out) != nil || out.Version != 1 || out.AccessKeyID == "" || out.SecretAccessKey == "" {
		return c, missing(fmt.Sprintf("the credential_process of AWS profile %s printed no credentials of version 1", p.name))
	}
	return Credentials{out.AccessKeyID, out.SecretAccessKey, out.SessionToken, out.Expiration}, nil
}
