package home

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/aws"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/vertex"
	"github.com/socrates-cli/socrates/internal/process"
)

// region is the placeholder for it in the address of a cloud.
const region = "{region}"

// findRegion determines the region of an endpoint: from its settings, else from the variables that the cloud's
// own tools read, in their order, so a machine where those work also works here.
func (e *Endpoint) findRegion() {
	switch c := &e.cloud; e.Vendor.Wire {
	case "bedrock":
		if c.Region == "" {
			c.Region = cmp.Or(regionOf(e.URL), (&aws.Source{Profile: c.Profile}).Region())
		}
		if c.Region != "" {
			e.URL = strings.ReplaceAll(e.URL, region, c.Region)
		}
	case "vertex":
		c.Region = cmp.Or(c.Region, Environ("GOOGLE_CLOUD_LOCATION"), Environ("CLOUD_ML_REGION"), "global")
		c.Project = cmp.Or(c.Project, Environ("GOOGLE_CLOUD_PROJECT"), Environ("ANTHROPIC_VERTEX_PROJECT_ID"), new(vertex.Login).Project())
		if strings.Contains(e.URL, region) {
			e.URL = vertex.Address(c.Region)
		}
	}
}

// regionOf extracts the region from the usual address of a runtime; empty: it is another address.
func regionOf(address string) string {
	_, rest, ok := strings.Cut(address, "//bedrock-runtime.")
	name, _, _ := strings.Cut(rest, ".")
	if !ok || name == region {
		return ""
	}
	return name
}

// Placed returns an error if a cloud's endpoint lacks a region or project. Credentials are checked elsewhere.
func (e Endpoint) Placed() error {
	name := e.Vendor.Name
	switch {
	case e.Vendor.Wire == "bedrock" && e.cloud.Region == "":
		return failure.Usage("seat "+name+" has no AWS region",
			"set AWS_REGION, or run: socrates config set providers."+name+".region us-east-1")
	case e.Vendor.Wire == "vertex" && e.cloud.Project == "":
		return failure.Usage("seat "+name+" has no Google Cloud project",
			"set GOOGLE_CLOUD_PROJECT, or run: socrates config set providers."+name+".project PROJECT")
	}
	return nil
}

// signer returns what signs requests to an endpoint of Amazon's cloud.
func (k *Keys) signer(e Endpoint) *aws.Source {
	s, _ := k.signers.LoadOrStore(e.cloud.Profile, &aws.Source{Profile: e.cloud.Profile, Learn: k.home.Learn, Run: k.credentialProcess})
	return s.(*aws.Source)
}

// credentials returns the source of a cloud's credentials. A person can resolve the error.
func (k *Keys) credentials(e Endpoint) (where string, err error) {
	if e.Vendor.Wire == "vertex" {
		where, err = k.google.Where()
	} else {
		where, err = k.signer(e).Where()
	}
	if err == nil {
		return where, nil
	}
	what, hint, _ := strings.Cut(trouble.As(err).Message, "; ")
	return "", failure.New(failure.ExitAuth, "auth", "seat "+e.Vendor.Name+": "+what, hint)
}

// credentialProcess runs the program that a file of the person's names for their credentials. Its environment
// has what a login has and the chosen profile. A file inside the project is not the person's alone, so its
// program is not run. Standard error is limited and part of the error; standard output contains credentials and
// is never shown.
func (k *Keys) credentialProcess(ctx context.Context, file string, words []string) ([]byte, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	project, err := k.home.Settings.Project()
	if err != nil {
		return nil, err
	}
	if project != home && inside(project, file) {
		return nil, fmt.Errorf("%s is inside the project: programs from a project are not run to get credentials", file)
	}
	var env []string
	for _, name := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		if value := Environ(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // as long as Amazon's own tools wait
	defer cancel()
	cmd, err := process.Named(ctx, home, words, env...)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	said := &process.Tail{Most: 500}
	cmd.Stdout, cmd.Stderr = &out, said
	switch err := process.Run(cmd); {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, errors.New("it took longer than a minute")
	case !cmd.ProcessState.Success():
		return nil, fmt.Errorf("%s: %s", cmd.ProcessState, strings.TrimSpace(said.String()))
	}
	return out.Bytes(), nil
}

// inside reports whether a file is below a folder, with links resolved.
func inside(folder, file string) bool {
	for _, path := range []*string{&folder, &file} {
		if whole, err := filepath.Abs(*path); err == nil {
			*path = whole
		}
		if real, err := filepath.EvalSymlinks(*path); err == nil {
			*path = real
		}
	}
	way, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(way)
}

// cloudReady sets whether a seat of a cloud is ready. It is if credentials exist and the person wants to use
// the cloud for models: many have credentials for other purposes, and would pay for their use here. The
// variables are those that tell other agents to use the cloud.
func (k *Keys) cloudReady(f *Found, e Endpoint, provided bool) {
	where, err := k.credentials(e)
	if err != nil {
		f.Why = strings.TrimPrefix(err.Error(), "seat "+e.Vendor.Name+": ")
		return
	}
	for _, name := range []string{"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "GOOGLE_GENAI_USE_VERTEXAI"} {
		provided = provided || strings.Contains(name, strings.ToUpper(e.Vendor.Wire)) && Environ(name) != ""
	}
	if f.Ready, f.Why = provided, where; !provided {
		f.Why = "not chosen (" + where + " exists): name the seat, or set providers." + e.Vendor.Name + ".model"
	}
}
