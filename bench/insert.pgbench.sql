\set number random(1, 1000000000000)
insert into leads (name, email, phone, zip_code, has_medicare, has_diabetes, request_headers) values ('Rosa ' || :number, 'rosa@example.com', '(305) 555-0142', '33101', true, false, '{"referer":"http://localhost/","user-agent":"bench","x-forwarded-for":"127.0.0.1","x-permission-notice":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}');
