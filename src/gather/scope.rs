//! Whose OpenStack the login can see. Told from the token, never from empty lists.

use super::cloud::token::Token;

/// How the things of a project are asked for with one login.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Project of the cluster.
    pub project: Option<String>,
    /// True if the login is an admin's.
    pub admin: bool,
    /// True if it is an admin's of another project: Nova and Cinder must be told.
    pub elsewhere: bool,
    /// True if a row is read for what it belongs to alone: nobody keeps it.
    pub slim: bool,
    /// Why the login cannot see the project's things; none if it can.
    pub wrong: Option<String>,
}

impl Scope {
    /// The scope of a token for a project; without one it is the token's own.
    #[must_use]
    pub fn of(token: &Token, project: Option<&str>) -> Scope {
        let own = token.project.as_ref();
        let admin = token.has_role("admin");
        let Some(project) = project.or(own.map(|own| own.id.as_str())) else {
            let wrong = "the login is for no project, and it is not known whose the cluster is; name it with --project";
            return Scope { admin, wrong: Some(wrong.to_owned()), ..Scope::default() };
        };
        let elsewhere = own.is_none_or(|own| own.id != project);
        let wrong = (elsewhere && !admin).then(|| {
            let login = own.map_or("no project".to_owned(), |own| format!("project {} ({})", own.name, own.id));
            format!("the login is for {login}, the cluster is of project {project}; log in with --os-project-id {project}")
        });
        Scope { project: Some(project.to_owned()), admin, elsewhere: elsewhere && admin, slim: false, wrong }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cloud::token::Named;
    use super::*;

    fn token(project: Option<&str>, role: &str) -> Token {
        let project = project.map(|id| Named { id: id.to_owned(), name: "n".to_owned(), domain: None });
        Token {
            value: String::new().into(),
            expires_at: None,
            user: Named::default(),
            project,
            domain: None,
            system: false,
            roles: vec![role.to_owned()],
            catalog: Vec::new(),
        }
    }

    /// Project that is asked for, whether as an admin of another, whether it is wrong.
    fn check(own: Option<&str>, role: &str, wanted: Option<&str>, expected: (Option<&str>, bool, bool)) {
        let scope = Scope::of(&token(own, role), wanted);
        assert_eq!((scope.project.as_deref(), scope.elsewhere, scope.wrong.is_some()), expected);
    }

    #[test]
    fn a_login_sees_its_project_and_an_admin_all() {
        check(Some("p"), "member", Some("p"), (Some("p"), false, false));
        check(Some("p"), "member", None, (Some("p"), false, false));
        check(Some("p"), "member", Some("q"), (Some("q"), false, true));
        check(Some("p"), "admin", Some("q"), (Some("q"), true, false));
        check(Some("p"), "admin", Some("p"), (Some("p"), false, false));
        check(None, "admin", Some("q"), (Some("q"), true, false));
        check(None, "member", Some("q"), (Some("q"), false, true));
        check(None, "admin", None, (None, false, true));
    }

    #[test]
    fn the_project_to_use_is_named() {
        let wrong = Scope::of(&token(Some("p"), "member"), Some("q")).wrong.expect("wrong");
        assert!(wrong.contains("--os-project-id q") && wrong.contains("(p)"), "{wrong}");
    }
}
