// What programs do with GitHub's own client: a file changed on a branch of its
// own, a pull request, a merge, issues page by page, and errors.
import assert from 'node:assert/strict'
import { Octokit } from '@octokit/rest'

const octokit = new Octokit({ auth: process.env.GITHUB_TOKEN, baseUrl: process.env.GITHUB_API_URL })
const repo = { owner: 'acme', repo: 'hydra' }

const { data: user } = await octokit.users.getAuthenticated()
assert.equal(user.login, 'agent')
const { data: main } = await octokit.git.getRef({ ...repo, ref: 'heads/main' })
await octokit.git.createRef({ ...repo, ref: 'refs/heads/octo', sha: main.object.sha })
const { data: file } = await octokit.repos.getContent({ ...repo, path: 'src/app.py', ref: 'octo' })
assert.equal(Buffer.from(file.content, 'base64').toString(), 'SIZE = 512\n')
const { data: put } = await octokit.repos.createOrUpdateFileContents({
  ...repo, path: 'src/app.py', branch: 'octo', message: 'Grow', sha: file.sha,
  content: Buffer.from('SIZE = 4096\n').toString('base64'),
})
assert.equal(put.commit.parents[0].sha, main.object.sha)
const { data: pull } = await octokit.pulls.create({ ...repo, head: 'octo', base: 'main', title: 'Grow' })
const { data: files } = await octokit.pulls.listFiles({ ...repo, pull_number: pull.number })
assert.deepEqual(files.map((it) => [it.filename, it.additions]), [['src/app.py', 1]])
const { data: diff } = await octokit.pulls.get({ ...repo, pull_number: pull.number, mediaType: { format: 'diff' } })
assert.match(diff, /\+SIZE = 4096/)
await octokit.pulls.createReview({ ...repo, pull_number: pull.number, event: 'COMMENT', body: 'Hm' })
const { data: merged } = await octokit.pulls.merge({ ...repo, pull_number: pull.number, merge_method: 'squash' })
assert.equal(merged.merged, true)

for (let n = 0; n < 5; n++) await octokit.issues.create({ ...repo, title: `Issue ${n}`, labels: ['octo'] })
const issues = await octokit.paginate(octokit.issues.listForRepo, { ...repo, labels: 'octo', per_page: 2 })
assert.equal(issues.length, 5)
const { data: compared } = await octokit.repos.compareCommitsWithBasehead({ ...repo, basehead: `${main.object.sha}...main` })
assert.equal(compared.ahead_by, 1)
await assert.rejects(octokit.pulls.create({ ...repo, head: 'none', base: 'main', title: 'x' }), { status: 422 })
await assert.rejects(octokit.repos.get({ owner: 'acme', repo: 'none' }), { status: 404 })
const viewer = await octokit.graphql('{ viewer { login } }')
assert.equal(viewer.viewer.login, 'agent')
console.log('octokit: done')
