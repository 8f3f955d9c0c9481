package merge

// ArtifactsOf are the files of a run.
var ArtifactsOf = artifactsOf
