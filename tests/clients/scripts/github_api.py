"""What programs do with PyGithub: refs, files, trees, pull requests, issues."""

import os

from github import Auth, Github, GithubException, InputGitTreeElement

hub = Github(auth=Auth.Token(os.environ["GITHUB_TOKEN"]), seconds_between_requests=0, seconds_between_writes=0)
assert hub.get_user().login == "agent"
repo = hub.get_repo("acme/hydra")
main = repo.get_git_ref("heads/main")
repo.create_git_ref("refs/heads/python", main.object.sha)
file = repo.get_contents("src/app.py", ref="python")
assert file.decoded_content == b"SIZE = 512\n"
done = repo.update_file("src/app.py", "Shrink", "SIZE = 1\n", file.sha, branch="python")
assert done["commit"].sha == repo.get_branch("python").commit.sha
base = repo.get_git_tree(done["commit"].sha)
tree = repo.create_git_tree([InputGitTreeElement("a/b.txt", "100644", "blob", content="b\n")], base)
commit = repo.create_git_commit("By hand", tree, [repo.get_git_commit(done["commit"].sha)])
repo.get_git_ref("heads/python").edit(commit.sha)
pull = repo.create_pull(base="main", head="python", title="Shrink", body="Small")
assert sorted(it.filename for it in pull.get_files()) == ["a/b.txt", "src/app.py"]
assert [it.commit.message for it in pull.get_commits()] == ["Shrink", "By hand"]
pull.create_issue_comment("Look")
assert pull.mergeable and pull.merge(merge_method="merge").merged
issue = repo.create_issue("From Python", body="x", labels=["python"])
issue.create_comment("First")
issue.edit(state="closed")
assert [it.title for it in repo.get_issues(state="closed", labels=["python"])] == ["From Python"]
assert hub.search_issues("repo:acme/hydra From Python").totalCount == 1
assert repo.compare(main.object.sha, "main").ahead_by == 3
try:
    repo.get_contents("none")
except GithubException as error:
    assert error.status == 404
else:
    raise AssertionError("a file that is not there was found")
print("pygithub: done")
