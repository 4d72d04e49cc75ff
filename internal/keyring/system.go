package keyring

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	system "github.com/zalando/go-keyring"
)

// service is the name of our entries in the keyring of the system.
const service = "socrates"

// patience is how long that keyring may take: it may ask the person to unlock it.
const patience = time.Minute

// setSystem keeps a key in the keyring of the system.
func setSystem(vendor, value string) error {
	_, err := ask(func() (string, error) { return "", system.Set(service, vendor, value) })
	return err
}

// getSystem is the key; an error if it has gone from there.
func getSystem(vendor string) (string, error) {
	value, err := ask(func() (string, error) { return system.Get(service, vendor) })
	if err == nil && value == "" {
		err = system.ErrNotFound
	}
	if errors.Is(err, system.ErrNotFound) {
		err = errors.New("it no longer exists")
	}
	return value, err
}

// deleteSystem removes the key; it is no error if there is none.
func deleteSystem(vendor string) error {
	_, err := ask(func() (string, error) { return "", system.Delete(service, vendor) })
	if errors.Is(err, system.ErrNotFound) {
		return nil
	}
	return err
}

// ask does something with the keyring of the system, which may not be there and may not answer.
func ask(do func() (string, error)) (string, error) {
	if err := reachable(); err != nil {
		return "", err
	}
	type answer struct {
		value string
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		value, err := do()
		answers <- answer{value, err}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-time.After(patience):
		return "", fmt.Errorf("it did not answer within %s", patience)
	}
}

// reachable is nil unless it is plain that there is no keyring. Where no session bus is running, the library would start
// one that stays when we are gone.
func reachable() error {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return nil
	}
	if bus := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); bus != "" && bus != "autolaunch:" {
		return nil
	}
	if _, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid())); err == nil {
		return nil
	}
	return errors.New("no session bus is running")
}
