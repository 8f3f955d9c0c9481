package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// manifests are the documents of a file of Kubernetes, strictly decoded.
func manifests(text string) (all []any, err error) {
	for document := range strings.SplitSeq(text, "\n---\n") {
		var kind struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		}
		if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
			return nil, err
		}
		var object any
		switch kind.APIVersion + " " + kind.Kind {
		case "batch/v1 Job":
			object = &batch.Job{}
		case "batch/v1 CronJob":
			object = &batch.CronJob{}
		case "v1 PersistentVolumeClaim":
			object = &core.PersistentVolumeClaim{}
		default:
			return nil, fmt.Errorf("unknown kind %q", kind)
		}
		if err := yaml.UnmarshalStrict([]byte(document), object); err != nil {
			return nil, err
		}
		all = append(all, object)
	}
	return all, nil
}

func TestManifests(t *testing.T) {
	claims, jobs := map[string]bool{}, map[string]batch.JobSpec{}
	for _, path := range glob(t, "ci/k8s/*.yaml") {
		objects, err := manifests(read(t, path))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, object := range objects {
			switch o := object.(type) {
			case *batch.Job:
				jobs[o.Name] = o.Spec
			case *batch.CronJob:
				jobs[o.Name] = o.Spec.JobTemplate.Spec
			case *core.PersistentVolumeClaim:
				claims[o.Name] = true
			}
		}
	}
	if len(jobs) != 4 {
		t.Fatalf("there are %d jobs", len(jobs))
	}
	for name, job := range jobs {
		pod := job.Template.Spec
		main := pod.Containers[0]
		env := map[string]string{}
		for _, e := range main.Env {
			env[e.Name] = e.Value
		}
		if strings.Contains(name, "shards") {
			if job.CompletionMode == nil || *job.CompletionMode != batch.IndexedCompletion || job.Completions == nil || fmt.Sprint(*job.Completions) != env["OPENDESK_SHARDS"] {
				t.Errorf("%s: not as many indexed completions as shards", name)
			}
			if job.BackoffLimitPerIndex == nil || !strings.Contains(main.Command[2], "JOB_COMPLETION_INDEX + 1") {
				t.Errorf("%s: an index is not a shard of its own", name)
			}
		}
		if pod.RestartPolicy != core.RestartPolicyNever || job.ActiveDeadlineSeconds == nil {
			t.Errorf("%s: has no bounds", name)
		}
		for _, v := range pod.Volumes {
			if c := v.PersistentVolumeClaim; c != nil && !claims[c.ClaimName] {
				t.Errorf("%s: nothing makes the claim %s", name, c.ClaimName)
			}
		}
		for _, m := range main.VolumeMounts {
			if !slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == m.Name }) {
				t.Errorf("%s: no volume %s", name, m.Name)
			}
		}
	}
}

// A field that Kubernetes does not have is an error.
func TestStrict(t *testing.T) {
	if _, err := manifests("apiVersion: batch/v1\nkind: Job\nspec: {completion: 3}\n"); err == nil {
		t.Error("a misspelt field is not found")
	}
}
